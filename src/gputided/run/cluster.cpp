#include "run/cluster.hpp"

#include "common/json.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "run/problems/problems.hpp"

#include <poll.h>
#include <string_view>
#include <systemd/sd-daemon.h>

namespace gputided {

namespace {

constexpr int wait_ms = 1'000;
constexpr int max_turn_events = 256;
constexpr std::int32_t spread_ms = 2'000;
constexpr std::int32_t cluster_stop_timeout_ms = 500;
// Less than a pod's default termination grace period, together with the stop timeout.
constexpr std::int32_t release_timeout_ms = 2'500;

gputide::runtime_options runtime_options_of(const run_options& options) {
    gputide::runtime_options out;
    out.flags(GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS);
    return out.poll_timeout_ms(options.timeout_ms).start_spread_ms(spread_ms);
}

// Reports whether an event is a write, or changes which instance scales which objects.
bool is_audited(const std::string& event) { return event != "difference" && event != "jobs_wanted"; }

// Returns an event's members for the audit log, where "kind" is the event.
ordered_json audited(ordered_json report) {
    const auto kind = report.find("kind");
    if (kind == report.end()) return report;
    report["object_kind"] = ordered_json(*kind);
    report.erase("kind");
    return report;
}

std::string settings_of(const run_options& options) {
    ordered_json out = cluster_settings(options.cluster);
    out["owner"] = options.owner;
    out["lease"]["duration_s"] = options.lease_s;
    if (!options.identity.empty()) out["lease"]["identity"] = options.identity;
    if (!options.selector.empty()) out["selector"] = options.selector;
    for (const std::string& grant : options.tenants) {
        const std::size_t equals = grant.find('=');
        out["tenants"][grant.substr(0, equals)].push_back(grant.substr(equals + 1));
    }
    out["ask_back"] = options.ask_back;
    out["start_delay_s"] = options.start_delay_s;
    if (!options.cluster_secret_hosts.empty()) out["cluster_secret_hosts"] = options.cluster_secret_hosts;
    return out.dump();
}

}  // namespace

cluster_daemon::cluster_daemon(const run_options& options, signals& signals, run_output& output)
    : paged_daemon(options, options.cluster.shadow ? "shadow" : "", output),
      signals_(signals),
      lines_(options.log == "all", options.log_form == "compact", !options.cluster.shadow),
      runtime_(runtime_options_of(options)) {
    runtime_.attach_cluster(settings_of(options), library_options(options.shared, {{"--kubernetes", ""}}));
}

void cluster_daemon::run() {
    output_.audit().add("start", {{"version", gputide_version()}, {"shadow", options_.cluster.shadow}});
    output_.audit().flush();
    runtime_.start();
    ::sd_notify(0, "READY=1");
    while (!signals_.stopping()) {
        pollfd ends[] = {{runtime_.wake_fd(), POLLIN, 0}, {signals_.stop_fd(), POLLIN, 0}};
        ::poll(ends, 2, wait_ms);
        turn();
        output_.audit().flush();
        alive_until_ms_ = steady_now_ms() + slack_ms;
        if (take_due(noticed_ms_, notice_interval_ms)) {
            notice_process(board_.problems(), runtime_.stats(), output_.audit().failure());
            read_description();
        }
        output_.flush_gathered(false);
    }
    ::sd_notify(0, "STOPPING=1");
    try {
        runtime_.detach_cluster(release_timeout_ms);
        turn();
        runtime_.stop(cluster_stop_timeout_ms);
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed), log_level::warning);
    }
    output_.stopped(ordered_json::object());
}

void cluster_daemon::read_description() {
    const std::string described = runtime_.describe_cluster();
    notice_cluster(board_.problems(), described);
    const std::string_view jobs = json_member(json_member(described, "scaled_jobs"), "objects");
    board_.change_own([&](numbers& own) { own.scaled_jobs = jobs.empty() ? json::array() : json::parse(jobs); });
}

void cluster_daemon::turn() {
    for (int taken = 0; taken < max_turn_events; ++taken) {
        const auto event = runtime_.next_event(0);
        if (!event) return;
        take(*event);
    }
}

void cluster_daemon::take(const gputide::event& event) {
    try {
        event.is_cluster() ? take_cluster_event(event) : take_decision(event);
    } catch (const gputide::failure& failed) {  // the scaler was removed meanwhile
        output_.gather(event.name(), failure_text(failed));
    }
}

void cluster_daemon::take_decision(const gputide::event& event) {
    if (const auto line = lines_.line_of(event.name(), event)) output_.print(*line);
    const bool was_read = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
    board_.take_decision(event.name(), event, was_read ? runtime_.describe(event.id()) : std::string(), 0);
}

// Prints {"time":"...","cluster":{"event":"write",...}}.
void cluster_daemon::take_cluster_event(const gputide::event& event) {
    const ordered_json report = ordered_json::parse(event.report);
    const std::string kind = report.value("event", "");
    output_.print(ordered_json{{"time", time_text(unix_now_ms())}, {"cluster", report}}.dump());
    notice_cluster_event(board_.problems(), report);
    if (is_audited(kind)) output_.audit().add(kind.c_str(), audited(report));
    if (kind == "removed") {
        lines_.forget(event.name());
        board_.forget(event.name());
    }
    if (kind == "write") {
        gputide::decision decision;
        decision.c.current_replicas = report.value("from", 0);
        decision.c.desired_replicas = report.value("to", 0);
        const bool written = report.value("result", "") == "applied";
        board_.change(event.name(), [&](scaler_numbers& numbers) { add_write(numbers, decision, written); });
        board_.add_change(event.name(), decision, written);
    }
}

}  // namespace gputided
