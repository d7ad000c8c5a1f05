#include "eval/eval.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "common/log.hpp"
#include "common/reads.hpp"
#include "common/state_file.hpp"
#include "common/times.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

// The decision is on stdout and is what KEDA and the HPA make of a failed trigger; why it failed goes to stderr.
bool log_failures(const std::string& name, const gputide::scaler& scaler) {
    bool failed = false;
    for (const metric_read& read : last_reads(scaler.metrics())) {
        if (read.error_status.empty()) continue;
        log_line(name + ": " + read.name + ": " + read.error_status + ": " + whole_error(read));
        failed = true;
    }
    return failed;
}

int eval_one(const std::string& name, const eval_options& options, const std::vector<manifest_file>& files,
             const saved_scalers& saved, std::int64_t now_ms) {
    gputide::scaler scaler = open_scaler(name, options.shared, files);
    if (const auto before = saved.find(name); before != saved.end()) scaler.load(before->second.state);
    gputide::observation observation;
    observation.at(now_ms).current(options.current);
    if (options.ready >= 0) observation.ready(options.ready);
    std::string report;
    const gputide::decision decision = scaler.tick(observation, options.timeout_ms, &report);
    std::cout << (options.shared.json() ? report + "\n" : gputide::render(report)) << std::flush;
    const bool failed = log_failures(name, scaler);
    return failed || decision.error() ? source_failed : done;
}

int eval(const eval_options& options) {
    const std::vector<manifest_file> files = read_manifests(options.shared);
    const std::int64_t now_ms = options.at.empty() ? unix_now_ms() : parse_time_ms(options.at);
    const saved_scalers saved = options.state.empty() ? saved_scalers() : read_states(options.state);
    int worst = done;
    for (const std::string& name : scaler_names(options.shared, files)) {
        worst = std::max(worst, eval_one(name, options, files, saved, now_ms));
    }
    return worst;
}

void add_flags(CLI::App& app, eval_options& options) {
    add_manifest_flags(app, options.shared);
    add_output_flag(app, options.shared);
    add_count(app, "--current", options.current, "the target's present spec.replicas")->required();
    add_count(app, "--ready", options.ready, "pods that are ready; default: as --current");
    app.add_option("--at", options.at, "evaluate at this time (RFC 3339 or Unix milliseconds); default: now");
    app.add_option("--state", options.state, "a state file of gputided run; read, not written");
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for tokens and queries together");
    add_trust_flags(app, options.shared);
}

}  // namespace

void add_eval(subcommands& commands) {
    commands.add("eval", "One evaluation: print the decision and its trace, write nothing",
                 "gputided eval -f so.yaml --current 3", &eval, &add_flags);
}

}  // namespace gputided
