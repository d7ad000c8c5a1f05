// gputided eval: prints one decision per scaler of the manifests, with its reasons.  Writes nothing.
#include "common/options.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

struct eval_options {
    shared_options shared;
    std::int32_t current = -1;
    std::int32_t ready = -1;  // -1: as current
    std::string at;           // "": now
    std::string state;        // only read
    std::int32_t timeout_ms = 10'000;
};

// Logs failed reads. stdout has the decision that KEDA and the HPA make with a failed trigger; the reason of the failure goes to
// stderr.
bool log_failures(const std::string& name, const gputide::scaler& scaler) {
    bool failed = false;
    for (const json& read : last_reads(scaler.describe())) {
        if (!read.contains("error")) continue;
        log_line(name + ": " + text_at(read, "metric") + ": " + text_at(read.at("error"), "status") + ": " +
                     read_error(read, true),
                 log_level::error);
        failed = true;
    }
    return failed;
}

int evaluate(const std::string& name, const eval_options& options, const std::vector<manifest_file>& files,
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
    const std::int64_t now_ms = time_or_now_ms(options.at);
    const saved_scalers saved = options.state.empty() ? saved_scalers() : read_states(options.state);
    int worst = done;
    for (const std::string& name : scaler_names(options.shared, files)) {
        worst = std::max(worst, evaluate(name, options, files, saved, now_ms));
    }
    return worst;
}

}  // namespace

void add_eval(subcommands& commands) {
    eval_options& options = commands.add("eval", "One evaluation: print the decision and its trace, write nothing",
                                         "gputided eval -f so.yaml --current 3", &eval);
    CLI::App& app = commands.app();
    add_manifest_options(app, options.shared);
    add_output_option(app, options.shared);
    option_list add(app);
    add("--current N", options.current, "current spec.replicas of the target").range(0).required();
    add("--ready N", options.ready, "ready pods; default: same as --current").range(0);
    add("--at", options.at, "evaluate at this time (RFC 3339 or Unix milliseconds); default: now");
    add("--state", options.state, "a state file of gputided run; only read");
    add_timeout(add, options.timeout_ms, "for tokens and queries together");
    add_trust_options(app, options.shared);
}

}  // namespace gputided
