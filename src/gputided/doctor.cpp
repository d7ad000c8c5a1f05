// gputided doctor: examines the triggers of manifests, or a cluster, step by step, and names the fix of each fault.
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/times.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace gputided {
namespace {

struct doctor_options {
    shared_options shared;
    std::int32_t current = -1;  // -1: the manifest's minimum
    std::int32_t ready = -1;    // -1: as current
    std::int32_t timeout_ms = 20'000;
    cluster_options cluster;
};

int show(const doctor_options& options, const gputide::diagnosis& diagnosis) {
    std::cout << (options.shared.json() ? diagnosis.report + "\n" : diagnosis.lines) << std::flush;
    return json::parse(diagnosis.report).at("verdict") == "failed" ? finding : done;
}

int examine(const std::string& name, const doctor_options& options, const std::vector<manifest_file>& files) {
    gputide::observation observation;
    observation.at(unix_now_ms()).current(options.current);
    if (options.ready >= 0) observation.ready(options.ready);
    const gputide::diagnosis diagnosis =
        gputide::doctor(files.front().text, library_options(options.shared, files).scaler(name),
                        options.current >= 0 ? &observation : nullptr, options.timeout_ms);
    return show(options, diagnosis);
}

int doctor(const doctor_options& options) {
    if (options.cluster.kubernetes) {
        return show(options, gputide::doctor_cluster(cluster_settings(options.cluster).dump(),
                                                     library_options(options.shared, {{"--kubernetes", ""}}),
                                                     options.timeout_ms));
    }
    const std::vector<manifest_file> files = read_manifests(options.shared);
    int worst = done;
    bool first = true;
    for (const std::string& name : scaler_names(options.shared, files)) {
        if (!std::exchange(first, false) && !options.shared.json()) std::cout << "\n";
        worst = std::max(worst, examine(name, options, files));
    }
    return worst;
}

void add_flags(CLI::App& app, doctor_options& options) {
    add_manifest_options(app, options.shared, false);
    add_cluster_options(
        app, options.cluster,
        "check a cluster instead of -f: whether run --kubernetes can work there, and which rights are missing");
    add_output_option(app, options.shared);
    add_options(app, "",
                {option_row("--current", &options.current,
                            "current spec.replicas of the target; default: the manifest's minimum")
                     .type("N")
                     .range(0),
                 option_row("--ready", &options.ready, "ready pods; default: same as --current").type("N").range(0),
                 timeout_row(options.timeout_ms, "for all steps of one scaler together")});
    add_trust_options(app, options.shared);
    app.parse_complete_callback([&options] { check_files_or_cluster(options.shared, options.cluster.kubernetes); });
}

}  // namespace

void add_doctor(subcommands& commands) {
    commands.add("doctor",
                 "Test each trigger, or the access to a cluster; print what fails, the likely cause and the fix",
                 "gputided doctor -f so.yaml\n"
                 "gputided doctor --kubernetes --kubeconfig ~/.kube/config",
                 &doctor, &add_flags);
}

}  // namespace gputided
