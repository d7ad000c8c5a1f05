#include "doctor/doctor.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace gputided {
namespace {

int show(const doctor_options& options, const gputide::diagnosis& diagnosis) {
    std::cout << (options.shared.json() ? diagnosis.report + "\n" : diagnosis.lines) << std::flush;
    return nlohmann::json::parse(diagnosis.report).at("verdict") == "failed" ? finding : done;
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
    add_manifest_flags(app, options.shared);
    CLI::Option* files = app.get_option("--file")->required(false);
    const CLI::Option* whole = add_cluster_flags(
        app, options.cluster, "instead of -f: whether run --kubernetes could work there, and which rights it lacks");
    add_output_flag(app, options.shared);
    add_count(app, "--current", options.current, "the target's present spec.replicas; default: the manifest's minimum");
    add_count(app, "--ready", options.ready, "pods that are ready; default: as --current");
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for all steps of one scaler together");
    add_trust_flags(app, options.shared);
    app.parse_complete_callback([files, whole] {
        if (files->empty() == whole->empty()) throw CLI::ValidationError("one of --file and --kubernetes is needed");
    });
}

}  // namespace

void add_doctor(subcommands& commands) {
    commands.add("doctor",
                 "Walk each trigger, or what scaling a cluster takes; name what fails, the likely cause and the fix",
                 "gputided doctor -f so.yaml\n"
                 "         gputided doctor --kubernetes --kubeconfig ~/.kube/config",
                 &doctor, &add_flags);
}

}  // namespace gputided
