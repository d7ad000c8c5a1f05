// gputided eval: one decision per scaler of the manifests, and why.  Acts on nothing, writes nothing.
#include "commands.hpp"
#include "files.hpp"
#include "log.hpp"
#include "reads.hpp"
#include "state_file.hpp"
#include "times.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

// The decision is on stdout and is what KEDA and the HPA make of a failed trigger; why it failed goes to stderr.
bool tell_failures(const std::string& name, const gputide::scaler& of) {
    bool failed = false;
    for (const metric_read& read : last_reads(of.metrics())) {
        if (read.error_status.empty()) continue;
        log_line(name + ": " + read.name + ": " + read.error_status + ": " + read.error);
        failed = true;
    }
    return failed;
}

int eval_one(const std::string& name, const eval_options& from, const std::vector<manifest_file>& files,
             const states& saved, std::int64_t now_ms) {
    gputide::scaler scaler = open_scaler(name, from.common, files);
    if (const auto before = saved.find(name); before != saved.end()) scaler.load(before->second.state);
    gputide::observation seen;
    seen.at(now_ms).current(from.current);
    if (from.ready >= 0) seen.ready(from.ready);
    std::string report;
    const gputide::decision next = scaler.tick(seen, from.timeout_ms, &report);
    std::cout << (from.common.json() ? report + "\n" : gputide::render(report)) << std::flush;
    const bool failed = tell_failures(name, scaler);
    return failed || next.error() ? source_failed : done;
}

}  // namespace

int eval(const eval_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.common);
    const std::int64_t now_ms = from.at.empty() ? unix_now_ms() : parse_time_ms(from.at);
    const states saved = from.state.empty() ? states() : read_states(from.state);
    int worst = done;
    for (const std::string& name : scaler_names(from.common, files)) {
        worst = std::max(worst, eval_one(name, from, files, saved, now_ms));
    }
    return worst;
}

}  // namespace gputided
