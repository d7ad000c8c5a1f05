#include "jobs/job.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <set>

namespace gputide::jobs {

namespace {

bool has_true(const pod& pod, const std::string& type) {
    return std::ranges::any_of(pod.conditions,
                               [&](const condition& condition) { return condition.is_true && condition.type == type; });
}

// KEDA counts the pod's true conditions that are listed and compares the count with the list's length, so a repeated type is
// never met.
bool meets(const pod& pod, const std::vector<std::string>& wanted, manifest::profile profile) {
    const std::set<std::string> types(wanted.begin(), wanted.end());
    if (profile == manifest::profile::strict && types.size() < wanted.size()) return false;
    return std::ranges::all_of(types, [&](const std::string& type) { return has_true(pod, type); });
}

bool is_at_work(const pod& pod) { return pod.phase == "Running" || pod.phase == "Succeeded"; }

bool is_pending(const job& job, const std::vector<std::string>& wanted, manifest::profile profile) {
    if (job.pods_unreadable) return true;
    return std::ranges::none_of(
        job.pods, [&](const pod& pod) { return wanted.empty() ? is_at_work(pod) : meets(pod, wanted, profile); });
}

}  // namespace

finish finish_of(const job& job) {
    for (const condition& at : job.conditions) {
        if (!at.is_true) continue;
        if (at.type == "Complete") return {ending::complete, at.since_ms};
        if (at.type == "Failed") return {ending::failed, at.since_ms};
    }
    return {};
}

counts count(const std::vector<job>& jobs, const manifest::scaling_strategy& strategy, manifest::profile profile) {
    counts out;
    for (const job& job : jobs) {
        if (finish_of(job).how != ending::none) continue;
        ++out.running;
        if (is_pending(job, strategy.pending_conditions, profile)) ++out.pending;
    }
    return out;
}

namespace {

constexpr char excluded_labels_annotation[] = "scaledjob.keda.sh/job-excluded-labels";
constexpr char last_applied_annotation[] = "kubectl.kubernetes.io/last-applied-configuration";
constexpr char paused_annotation[] = "autoscaling.keda.sh/paused";

std::set<std::string> excluded(const manifest::scaled_job& job) {
    std::set<std::string> out;
    const auto written = job.annotations.find(excluded_labels_annotation);
    if (written == job.annotations.end()) return out;
    for (const std::string_view key : split(written->second, ',')) {
        out.emplace(job.profile == manifest::profile::strict ? key : trim(key));
    }
    return out;
}

}  // namespace

created_job job_of(const manifest::scaled_job& job, std::string_view version) {
    const bool is_strict = job.profile == manifest::profile::strict;
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

bool is_paused(const manifest::scaled_job& job) {
    const auto written = job.annotations.find(paused_annotation);
    return written != job.annotations.end() && parse_go_bool(written->second).value_or(true);
}

}  // namespace gputide::jobs
