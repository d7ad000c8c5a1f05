// gputided run --kubernetes.  The library does the work; this prints and counts its events, and serves its description.
#include "common/text.hpp"
#include "run/pages/pages.hpp"
#include "run/problems/problems.hpp"
#include "run/run.hpp"

#include <poll.h>
#include <systemd/sd-daemon.h>

namespace gputided {

namespace {

constexpr int wait_ms = 1'000;
constexpr int max_turn_events = 256;
constexpr std::int32_t cluster_spread_ms = 2'000;
constexpr std::int32_t cluster_stop_timeout_ms = 500;
// Less than a pod's default termination grace period, together with the stop timeout.
constexpr std::int32_t release_timeout_ms = 2'500;

gputide::runtime_options runtime_options_of(const run_options& options) {
    gputide::runtime_options out;
    out.flags(GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS);
    return out.poll_timeout_ms(options.timeout_ms).start_spread_ms(cluster_spread_ms);
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

constexpr std::size_t max_left_out = 10;  // unreadable objects that /readyz lists

bool is_scalers_watch(const json& watch) { return watch.value("resource", "") == "scaledobjects"; }

constexpr document_row watch_age_rows[] = {
    {"gputided_cluster_watch_age_seconds", "gauge",
     "Time since the API server sent anything on a watch; bookmarks come about once a minute.", "/heard_ms_ago",
     0.001}};
constexpr document_row watch_rows[] = {
    {"gputided_cluster_watch_known", "gauge", "1 while all objects of a watch are known.", "/known", unscaled, or_zero},
    {"gputided_cluster_watch_unreadable", "gauge", "Unreadable objects, which are ignored; /cluster.json names them.",
     "/unreadable", unscaled, or_zero},
    {"gputided_cluster_lists_total", "counter", "Pages of lists.", "/lists", unscaled, or_zero}};
constexpr document_row lease_rows[] = {
    {"gputided_cluster_leader", "gauge", "1 while this instance holds the Lease.", "/leads", unscaled, or_zero}};

// Returns the objects of an array with labels: their names, and the members with their values.
labelled_objects labelled_by(const json& array, const std::vector<std::pair<const char*, const char*>>& members) {
    labelled_objects out;
    for (const json& object : array) {
        std::string labels;
        for (const auto& [name, member] : members)
            labels += (labels.empty() ? "" : ",") + label(name, object.value(member, ""));
        out.emplace_back(std::move(labels), &object);
    }
    return out;
}

// Adds the requests of a kind by result.  writes, failures: members of `document`.
void results(std::string& out, const std::string& name, const char* help, const json& document, const char* writes,
             const char* failures) {
    counter_of(out, name, help, "result",
               {{"applied", document.value(writes, 0.0)}, {"failed", document.value(failures, 0.0)}});
}

// Returns a line for each unreadable object, up to a maximum.
std::string left_out(const json& watches) {
    std::string out;
    std::size_t named = 0;
    std::int64_t unnamed = 0;
    for (const json& watch : watches) {
        unnamed += watch.value("unreadable", std::int64_t{0});
        for (const json& object : watch.value("unreadable_objects", json::array())) {
            if (++named > max_left_out) break;
            --unnamed;
            out += "left out: " + watch.value("resource", "") + " " + full_name_in(object) + ": " +
                   object.value("message", "") + "\n";
        }
    }
    if (unnamed > 0) out += "and " + std::to_string(unnamed) + " more; see /cluster.json\n";
    return out;
}

// Returns a line for the HPA and for KEDA: the release of the rules and its origin.
std::string rules_text(const json& versions) {
    std::string out;
    for (const auto& [which, version] : versions.items()) {
        const std::string found = version.value("found", ""), message = version.value("message", "");
        out += "rules of " + std::string(which == "hpa" ? "Kubernetes " : "KEDA ") + version.value("rules", "") +
               (found.empty() ? "" : "; the cluster runs " + found) + (message.empty() ? "" : "; " + message) + "\n";
    }
    return out;
}

// Members of a ScaledJob's description.
constexpr document_row job_rows[] = {
    {"gputided_scaled_job_running", "gauge",
     "Unfinished Jobs of a ScaledJob at its last poll, including the pending ones.", "/running"},
    {"gputided_scaled_job_pending", "gauge", "Unfinished Jobs of a ScaledJob without a running pod at its last poll.",
     "/pending"},
    {"gputided_scaled_job_min", "gauge", "Minimum of a ScaledJob.", "/min"},
    {"gputided_scaled_job_max", "gauge", "Maximum of a ScaledJob.", "/max"},
    {"gputided_scaled_job_gpus_per_job", "gauge", "GPUs of a Job (gputide.io/gpus-per-replica).", "/gpus_per_job"},
    {"gputided_scaled_job_cost_per_gpu_hour", "gauge",
     "Price of a GPU for an hour (gputide.io/cost-per-gpu-hour), if given.", "/cost_per_gpu_hour"}};

constexpr document_row cluster_rows[] = {
    {"gputided_cluster_conflicts_total", "counter", "Writes with response 409: the object was changed meanwhile.",
     "/conflicts", unscaled, or_zero},
    {"gputided_cluster_differences_total", "counter", "Differences from the size that the HPA wants (--shadow).",
     "/differences", unscaled, or_zero},
    {"gputided_cluster_differing", "gauge", "Scalers that differ from the HPA now (--shadow).", "/differing", unscaled,
     or_zero},
    {"gputided_cluster_no_capacity", "gauge", "ScaledObjects with replicas that get no node.", "/no_capacity_count",
     unscaled, or_zero}};

void rules_metric(std::string& out, const json& versions) {
    family(out, "gputided_cluster_rules", "gauge", "Releases of the rules for manifests that name no release.",
           [&](const labelled& add) {
               for (const auto& [which, version] : versions.items()) {
                   add(label("of", which) + "," + label("version", version.value("rules", "")) + "," +
                           label("found", version.value("found", "")),
                       1);
               }
           });
}

class cluster_daemon : public paged_daemon {
  public:
    cluster_daemon(const run_options& options, signals& signals, run_output& output)
        : paged_daemon(options, options.cluster.shadow ? "shadow" : "", output),
          signals_(signals),
          lines_(options.log == "all", options.log_form == "compact", !options.cluster.shadow),
          runtime_(runtime_options_of(options)) {
        runtime_.attach_cluster(settings_of(options), library_options(options.shared, {{"--kubernetes", ""}}));
    }

    // Runs until a stop signal, and then releases its Leases.
    void run() override {
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

  protected:
    // Returns 200 if the ScaledObjects have been listed, also on a standby, or if the server does not serve their kind.
    web_answer readiness() const override {
        const json seen = json::parse(runtime_.describe_cluster());
        std::string why = "the API server has not answered yet\n";
        bool is_ready = true, is_any = false, is_missing = false;
        const json watches = seen.value("watches", json::array());
        for (const json& watch : watches) {
            if (!is_scalers_watch(watch)) continue;
            is_any = true;
            const bool is_missing_here = watch.value("missing", false);
            is_missing = is_missing || is_missing_here;
            if (is_missing_here)
                why = "ready, but the server has no ScaledObjects: install KEDA's CustomResourceDefinitions\n";
            if (watch.value("known", false) || is_missing_here) continue;
            is_ready = false;
            if (const std::string message = watch.value("message", ""); !message.empty()) why = message + "\n";
        }
        if (!is_any || !is_ready) return {503, plain_text, why};
        if (is_missing) return {200, plain_text, why + left_out(watches)};
        return {200, plain_text, "ready\n" + left_out(watches) + rules_text(seen.value("versions", json::object()))};
    }

    std::string runtime_stats() const override { return runtime_.stats(); }
    std::optional<std::string> cluster() const override { return runtime_.describe_cluster(); }

  private:
    void turn() {
        for (int taken = 0; taken < max_turn_events; ++taken) {
            const auto event = runtime_.next_event(0);
            if (!event) return;
            take(*event);
        }
    }

    // Takes problems and ScaledJobs from the library's description.
    void read_description() {
        const std::string described = runtime_.describe_cluster();
        notice_cluster(board_.problems(), described);
        const std::string_view jobs = json_member(json_member(described, "scaled_jobs"), "objects");
        board_.change_own([&](numbers& own) { own.scaled_jobs = jobs.empty() ? json::array() : json::parse(jobs); });
    }

    void take(const gputide::event& event) {
        try {
            event.is_cluster() ? take_cluster_event(event) : take_decision(event);
        } catch (const gputide::failure& failed) {  // the scaler was removed meanwhile
            output_.gather(event.name(), failure_text(failed));
        }
    }

    void take_decision(const gputide::event& event) {
        if (const auto line = lines_.line_of(event.name(), event)) output_.print(*line);
        const bool was_read = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
        board_.take_decision(event.name(), event, was_read ? runtime_.describe(event.id()) : std::string(), 0);
    }

    // Prints {"time":"...","cluster":{"event":"write",...}}.
    void take_cluster_event(const gputide::event& event) {
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

    signals& signals_;
    decision_lines lines_;
    gputide::runtime runtime_;
    std::int64_t noticed_ms_ = 0;  // steady clock
};

}  // namespace

std::unique_ptr<paged_daemon> open_cluster_daemon(const run_options& options, signals& signals, run_output& output) {
    return std::make_unique<cluster_daemon>(options, signals, output);
}

std::string cluster_metrics(const std::string& cluster) {
    const json seen = json::parse(cluster);
    const json jobs = seen.value("scaled_jobs", json::object());
    std::string out;
    const json leases = seen.value("leases", json::array()), watches = seen.value("watches", json::array());
    add_rows(out, lease_rows, labelled_by(leases, {{"lease", "name"}}));
    labelled_objects named_watches = labelled_by(watches, {{"resource", "resource"}, {"path", "path"}}),
                     heard = named_watches;
    std::erase_if(heard, [](const auto& watch) { return integer_at(*watch.second, "heard_ms_ago") < 0; });
    add_rows(out, watch_age_rows, heard);
    add_rows(out, watch_rows, named_watches);
    rules_metric(out, seen.value("versions", json::object()));
    counter_of(out, "gputided_cluster_writes_total", "Writes of a replica count by result.", "result",
               seen.value("writes", json::object()));
    counter_of(out, "gputided_cluster_jobs_total", "Jobs of ScaledJobs by the result of their creation.", "result",
               jobs.value("creations", json::object()));
    results(out, "gputided_cluster_jobs_deleted_total", "Deletions of Jobs of ScaledJobs.", jobs, "deletions",
            "deletion_failures");
    const json objects = jobs.value("objects", json::array());
    add_rows(out, job_rows, labelled_by(objects, {{"namespace", "namespace"}, {"name", "name"}}));
    results(out, "gputided_cluster_status_writes_total", "Requests that wrote the status of a ScaledObject, by result.",
            seen, "status_writes", "status_failures");
    results(out, "gputided_cluster_event_writes_total",
            "Requests that created or counted a Kubernetes event, by result.", seen, "event_writes", "event_failures");
    add_rows(out, cluster_rows, {{"", &seen}});
    single(out, "gputided_cluster_held", "gauge", "Blocked scalers; /cluster.json has the reasons.",
           seen.value("held_count", 0.0) + jobs.value("held_count", 0.0));
    const json reasons = seen.value("held_reasons", json::object());
    const json reasons_of_jobs = jobs.value("held_reasons", json::object());
    family(out, "gputided_cluster_held_by_reason", "gauge",
           "Blocked scalers by reason; contested: another controller scales the target.", [&](const labelled& add) {
               for (const auto& [reason, count] : reasons.items()) {
                   add(label("reason", reason), count.get<double>() + reasons_of_jobs.value(reason, 0.0));
               }
           });
    return out;
}

}  // namespace gputided
