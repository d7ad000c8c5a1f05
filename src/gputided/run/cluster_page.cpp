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

// kind: prefix of the members, such as "status" for status_writes and status_failures.
void requests(std::string& out, const json& seen, const std::string& kind, const char* help) {
    family(out, "gputided_cluster_" + kind + "_writes_total", "counter", help, [&](const labelled& add) {
        add(label("result", "applied"), seen.value(kind + "_writes", 0.0));
        add(label("result", "failed"), seen.value(kind + "_failures", 0.0));
    });
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

// A gauge from a member of a ScaledJob's description.
struct job_row {
    const char* member;
    const char* help;
};

constexpr job_row job_rows[] = {
    {"running", "Unfinished Jobs of a ScaledJob at its last poll, including the pending ones."},
    {"pending", "Unfinished Jobs of a ScaledJob without a running pod at its last poll."},
    {"min", "Minimum of a ScaledJob."},
    {"max", "Maximum of a ScaledJob."},
    {"gpus_per_job", "GPUs of a Job (gputide.io/gpus-per-replica)."},
    {"cost_per_gpu_hour", "Price of a GPU for an hour (gputide.io/cost-per-gpu-hour), if given."}};

void job_metrics(std::string& out, const json& objects) {
    for (const job_row& row : job_rows) {
        family(out, std::string("gputided_scaled_job_") + row.member, "gauge", row.help, [&](const labelled& add) {
            for (const json& job : objects) {
                if (!job.contains(row.member)) continue;
                add(label("namespace", job.value("namespace", "")) + "," + label("name", job.value("name", "")),
                    number_at(job, row.member));
            }
        });
    }
}

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

web_answer readiness(const std::string& cluster) {
    const json seen = json::parse(cluster);
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
    const json writes = seen.value("writes", json::object());
    std::string out;
    lease_metrics(out, seen.value("leases", json::array()));
    watch_metrics(out, seen.value("watches", json::array()));
    rules_metric(out, seen.value("versions", json::object()));
    family(out, "gputided_cluster_writes_total", "counter", "Writes of a replica count by result.",
           [&](const labelled& add) {
               for (const auto& [result, count] : writes.items()) {
                   add(label("result", result), count);
               }
           });
    const json jobs = seen.value("scaled_jobs", json::object());
    const json creations = jobs.value("creations", json::object());
    family(out, "gputided_cluster_jobs_total", "counter", "Jobs of ScaledJobs by the result of their creation.",
           [&](const labelled& add) {
               for (const auto& [result, count] : creations.items()) {
                   add(label("result", result), count);
               }
           });
    family(out, "gputided_cluster_jobs_deleted_total", "counter", "Deletions of Jobs of ScaledJobs.",
           [&](const labelled& add) {
               add(label("result", "applied"), jobs.value("deletions", 0.0));
               add(label("result", "failed"), jobs.value("deletion_failures", 0.0));
           });
    job_metrics(out, jobs.value("objects", json::array()));
    requests(out, seen, "status", "Requests that wrote the status of a ScaledObject, by result.");
    requests(out, seen, "event", "Requests that created or counted a Kubernetes event, by result.");
    single(out, "gputided_cluster_conflicts_total", "counter",
           "Writes with response 409: the object was changed meanwhile.", seen.value("conflicts", 0.0));
    single(out, "gputided_cluster_differences_total", "counter",
           "Differences from the size that the HPA wants (--shadow).", seen.value("differences", 0.0));
    single(out, "gputided_cluster_differing", "gauge", "Scalers that differ from the HPA now (--shadow).",
           seen.value("differing", 0.0));
    single(out, "gputided_cluster_no_capacity", "gauge", "ScaledObjects with replicas that get no node.",
           seen.value("no_capacity_count", 0.0));
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
