#include "jobs/created_job.hpp"

#include "base/text.hpp"

#include <set>

namespace gputide::jobs {
namespace {

constexpr char excluded_labels_annotation[] = "scaledjob.keda.sh/job-excluded-labels";
constexpr char last_applied_annotation[] = "kubectl.kubernetes.io/last-applied-configuration";
constexpr char paused_annotation[] = "autoscaling.keda.sh/paused";

std::set<std::string> excluded(const config::scaled_job& job) {
    std::set<std::string> out;
    const auto written = job.annotations.find(excluded_labels_annotation);
    if (written == job.annotations.end()) return out;
    for (const std::string_view key : split(written->second, ',')) {
        out.emplace(job.profile == config::profile::strict ? key : trim(key));
    }
    return out;
}

}  // namespace

created_job job_of(const config::scaled_job& job, std::string_view version) {
    const bool is_strict = job.profile == config::profile::strict;
    created_job out;
    out.generate_name = job.name + "-";
    out.labels = {{"app.kubernetes.io/name", job.name},
                  {"app.kubernetes.io/version", std::string(version)},
                  {"app.kubernetes.io/part-of", job.name},
                  {"app.kubernetes.io/managed-by", is_strict ? "keda-operator" : "gputide"}};
    const std::set<std::string> left_out = excluded(job);
    const std::string generation = std::to_string(job.generation);
    out.labels[std::string(name_label)] = job.name;
    out.annotations[std::string(generation_annotation)] = generation;
    for (const auto& [key, value] : job.labels) {
        if (left_out.count(key) == 0) out.labels[key] = value;
    }
    for (const auto& [key, value] : job.annotations) {
        if (is_strict || key != last_applied_annotation) out.annotations[key] = value;
    }
    if (!is_strict) {
        out.labels[std::string(name_label)] = job.name;
        out.annotations[std::string(generation_annotation)] = generation;
    }
    out.template_labels = job.template_labels;
    out.template_labels[std::string(name_label)] = job.name;
    out.restart_policy = job.restart_policy.empty() ? "OnFailure" : job.restart_policy;
    return out;
}

bool is_paused(const config::scaled_job& job) {
    const auto written = job.annotations.find(paused_annotation);
    return written != job.annotations.end() && parse_go_bool(written->second).value_or(true);
}

}  // namespace gputide::jobs
