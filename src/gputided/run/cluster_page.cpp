#include "run/cluster.hpp"
#include "run/pages/pages.hpp"

#include <cstdint>

namespace gputided {

namespace {

constexpr std::size_t max_named = 10;  // unreadable objects that /readyz lists

bool is_scalers_watch(const json& watch) { return watch.value("resource", "") == "scaledobjects"; }

void watch_metrics(std::string& out, const json& watches) {
    const auto labels = [](const json& watch) {
        return label("resource", watch.value("resource", "")) + "," + label("path", watch.value("path", ""));
    };
    family(out, "gputided_cluster_watch_age_seconds", "gauge",
           "Time since the API server sent anything on a watch; bookmarks come about once a minute.",
           [&](const labelled& add) {
               for (const json& watch : watches) {
                   const std::int64_t age_ms = watch.value("heard_ms_ago", std::int64_t{-1});
                   if (age_ms >= 0) add(labels(watch), static_cast<double>(age_ms) / 1'000.0);
               }
           });
    family(out, "gputided_cluster_watch_known", "gauge", "1 while all objects of a watch are known.",
           [&](const labelled& add) {
               for (const json& watch : watches) add(labels(watch), watch.value("known", false) ? 1 : 0);
           });
    family(out, "gputided_cluster_watch_unreadable", "gauge",
           "Unreadable objects, which are ignored; /cluster.json names them.", [&](const labelled& add) {
               for (const json& watch : watches) add(labels(watch), watch.value("unreadable", 0.0));
           });
    family(out, "gputided_cluster_lists_total", "counter", "Pages of lists.", [&](const labelled& add) {
        for (const json& watch : watches) add(labels(watch), watch.value("lists", 0.0));
    });
}

// Adds the requests of a kind by result.  writes, failures: members of `document`.
void results(std::string& out, const std::string& name, const char* help, const json& document, const char* writes,
             const char* failures) {
    counter_of(out, name, help, "result",
               {{"applied", document.value(writes, 0.0)}, {"failed", document.value(failures, 0.0)}});
}

void lease_metrics(std::string& out, const json& leases) {
    family(out, "gputided_cluster_leader", "gauge", "1 while this instance holds the Lease.", [&](const labelled& add) {
        for (const json& lease : leases)
            add(label("lease", lease.value("name", "")), lease.value("leads", false) ? 1 : 0);
    });
}

// Returns a line for each unreadable object, up to a maximum.
std::string left_out(const json& watches) {
    std::string out;
    std::size_t named = 0;
    std::int64_t unnamed = 0;
    for (const json& watch : watches) {
        unnamed += watch.value("unreadable", std::int64_t{0});
        for (const json& object : watch.value("unreadable_objects", json::array())) {
            if (++named > max_named) break;
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
constexpr member_row job_gauges[] = {
    {"running", "Unfinished Jobs of a ScaledJob at its last poll, including the pending ones."},
    {"pending", "Unfinished Jobs of a ScaledJob without a running pod at its last poll."},
    {"min", "Minimum of a ScaledJob."},
    {"max", "Maximum of a ScaledJob."},
    {"gpus_per_job", "GPUs of a Job (gputide.io/gpus-per-replica)."},
    {"cost_per_gpu_hour", "Price of a GPU for an hour (gputide.io/cost-per-gpu-hour), if given."}};

constexpr document_row cluster_rows[] = {
    {"gputided_cluster_conflicts_total", "counter", "Writes with response 409: the object was changed meanwhile.",
     "/conflicts"},
    {"gputided_cluster_differences_total", "counter", "Differences from the size that the HPA wants (--shadow).",
     "/differences"},
    {"gputided_cluster_differing", "gauge", "Scalers that differ from the HPA now (--shadow).", "/differing"},
    {"gputided_cluster_no_capacity", "gauge", "ScaledObjects with replicas that get no node.", "/no_capacity_count"}};

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

}  // namespace

web_answer cluster_daemon::readiness() const {
    const json seen = json::parse(runtime_.describe_cluster());
    std::string why = "the API server has not answered yet\n";
    bool is_ready = true, is_any = false;
    const json watches = seen.value("watches", json::array());
    for (const json& watch : watches) {
        if (!is_scalers_watch(watch)) continue;
        is_any = true;
        const bool is_missing = watch.value("missing", false);
        if (is_missing) why = "ready, but the server has no ScaledObjects: install KEDA's CustomResourceDefinitions\n";
        if (watch.value("known", false) || is_missing) continue;
        is_ready = false;
        if (const std::string told = watch.value("message", ""); !told.empty()) why = told + "\n";
    }
    if (!is_any || !is_ready) return {503, plain_text, why};
    for (const json& watch : watches) {
        if (is_scalers_watch(watch) && watch.value("missing", false)) return {200, plain_text, why + left_out(watches)};
    }
    return {200, plain_text, "ready\n" + left_out(watches) + rules_text(seen.value("versions", json::object()))};
}

std::string cluster_metrics(const std::string& cluster) {
    const json seen = json::parse(cluster);
    const json jobs = seen.value("scaled_jobs", json::object());
    std::string out;
    lease_metrics(out, seen.value("leases", json::array()));
    watch_metrics(out, seen.value("watches", json::array()));
    rules_metric(out, seen.value("versions", json::object()));
    counter_of(out, "gputided_cluster_writes_total", "Writes of a replica count by result.", "result",
               seen.value("writes", json::object()));
    counter_of(out, "gputided_cluster_jobs_total", "Jobs of ScaledJobs by the result of their creation.", "result",
               jobs.value("creations", json::object()));
    results(out, "gputided_cluster_jobs_deleted_total", "Deletions of Jobs of ScaledJobs.", jobs, "deletions",
            "deletion_failures");
    const json objects = jobs.value("objects", json::array());
    labelled_objects named;
    for (const json& job : objects)
        named.emplace_back(label("namespace", job.value("namespace", "")) + "," + label("name", job.value("name", "")),
                           &job);
    add_gauges(out, "gputided_scaled_job_", job_gauges, named);
    results(out, "gputided_cluster_status_writes_total", "Requests that wrote the status of a ScaledObject, by result.",
            seen, "status_writes", "status_failures");
    results(out, "gputided_cluster_event_writes_total",
            "Requests that created or counted a Kubernetes event, by result.", seen, "event_writes", "event_failures");
    add_rows(out, cluster_rows, seen);
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
