// JSON of the keda-* files → specs, metrics, jobs and readings, and back.
#include "inside/keda_spec.hpp"

#include "base/text.hpp"
#include "jobs/decide.hpp"
#include "jobs/job.hpp"

#include <iterator>
#include <map>
#include <utility>

namespace conformance {

namespace {

using gputide::manifest::fallback_behavior;

std::optional<std::int32_t> number_of(const json& object, const char* name) {
    if (!object.contains(name) || object.at(name).is_null()) return std::nullopt;
    return object.at(name).get<std::int32_t>();
}

fallback_behavior behavior_of(const std::string& word) {
    static const std::map<std::string, fallback_behavior> words{
        {"", fallback_behavior::fixed},
        {"static", fallback_behavior::fixed},
        {"currentReplicas", fallback_behavior::current_replicas},
        {"currentReplicasIfHigher", fallback_behavior::current_replicas_if_higher},
        {"currentReplicasIfLower", fallback_behavior::current_replicas_if_lower},
        {"scalingModifiers", fallback_behavior::scaling_modifiers},
    };
    return words.at(word);
}

}  // namespace

std::optional<gputide::manifest::fallback> fallback_of(const json& block) {
    if (block.is_null()) return std::nullopt;
    gputide::manifest::fallback out;
    out.failure_threshold = block.at("failureThreshold").get<std::int32_t>();
    out.replicas = block.at("replicas").get<std::int32_t>();
    out.behavior = behavior_of(block.value("behavior", ""));
    return out;
}

gputide::manifest::target_type target_type_of(const std::string& word) {
    if (word == "Value") return gputide::manifest::target_type::value;
    if (word == "Utilization") return gputide::manifest::target_type::utilization;
    return gputide::manifest::target_type::average_value;
}

gputide::manifest::scaling_modifiers modifiers_of(const json& block) {
    gputide::manifest::scaling_modifiers out;
    out.formula = block.value("formula", "");
    out.target = block.value("target", "");
    out.activation_target = block.value("activationTarget", "");
    out.metric_type = target_type_of(block.value("metricType", ""));
    return out;
}

gputide::manifest::original_versions keda_versions_of(const json& object) {
    gputide::manifest::original_versions out;
    const std::string version = object.value("keda_version", "2.20");
    out.keda = gputide::manifest::read_version(gputide::manifest::original::keda, version).value();
    return out;
}

gputide::manifest::scaling executor_spec_of(const json& object) {
    gputide::manifest::scaling out;
    out.extra.profile = gputide::manifest::profile::strict;
    out.min = number_of(object, "minReplicaCount");
    out.max = number_of(object, "maxReplicaCount").value_or(100);
    out.idle = number_of(object, "idleReplicaCount");
    out.cooldown_s = number_of(object, "cooldownPeriod").value_or(300);
    out.initial_cooldown_s = number_of(object, "initialCooldownPeriod").value_or(0);
    out.fallback = fallback_of(object.value("fallback", json()));
    return out;
}

gputide::decide::metric_policy metric_of(const std::string& type, const std::string& name, std::size_t at) {
    gputide::decide::metric_policy out;
    const bool resource = type == "cpu" || type == "memory";
    out.name = resource ? type : "s" + std::to_string(at) + "-" + type;
    out.user_name = name;
    out.kind = resource ? gputide::decide::metric_kind::resource : gputide::decide::metric_kind::external;
    out.decides_activity = !resource;
    return out;
}

namespace {

std::int64_t milli_of(const json& text) { return *gputide::parse_int64(text.get<std::string>()); }

std::optional<std::int64_t> seconds_of(const json& object, const char* member) {
    const auto at = object.find(member);
    if (at == object.end() || at->is_null()) return std::nullopt;
    return at->get<std::int64_t>() * 1'000;
}

std::vector<gputide::jobs::condition> conditions_of(const json& object) {
    std::vector<gputide::jobs::condition> out;
    for (const json& at : object.value("conditions", json::array())) {
        out.push_back({at.at("type"), at.at("status") == "True", seconds_of(at, "at_s")});
    }
    return out;
}

gputide::jobs::metric_reading reading_of(const json& object) {
    gputide::jobs::metric_reading out;
    out.name = object.value("name", "");
    if (object.contains("target_milli") && !object.at("target_milli").is_null()) {
        out.target_milli = milli_of(object.at("target_milli"));
    }
    if (object.contains("value_milli")) out.values.push_back({out.name, milli_of(object.at("value_milli"))});
    for (const json& value : object.value("values", json::array())) {
        out.values.push_back({value.at("name"), milli_of(value.at("milli"))});
    }
    out.is_active = object.value("active", false);
    out.failed = object.value("error", false);
    return out;
}

std::map<std::string, std::string> texts_of(const json& object, const char* member) {
    return object.value(member, std::map<std::string, std::string>());
}

}  // namespace

gputide::manifest::scaling_strategy strategy_of(const json& written) {
    gputide::manifest::scaling_strategy out;
    out.name = written.value("strategy", "");
    out.queue_length_deduction = written.value("customScalingQueueLengthDeduction", 0);
    out.running_job_fraction = written.value("customScalingRunningJobPercentage", "");
    out.pending_conditions = written.value("pendingPodConditions", std::vector<std::string>());
    out.calculation = written.value("multipleScalersCalculation", "");
    return out;
}

gputide::manifest::scaled_job scaled_job_of(const json& entry, gputide::manifest::profile profile) {
    const json spec = entry.value("spec", json::object());
    const json object = entry.value("object", json::object());
    const json rollout = spec.value("rollout", json::object());
    gputide::manifest::scaled_job out;
    out.profile = profile;
    out.versions = keda_versions_of(entry);
    out.name = object.value("name", "train");
    out.name_space = object.value("namespace", "default");
    out.uid = object.value("uid", "");
    out.generation = object.value("generation", std::int64_t{0});
    out.labels = texts_of(object, "labels");
    out.annotations = texts_of(object, "annotations");
    if (spec.contains("minReplicaCount")) out.min = spec.at("minReplicaCount").get<std::int32_t>();
    if (spec.contains("maxReplicaCount")) out.max = spec.at("maxReplicaCount").get<std::int32_t>();
    out.successful_limit = spec.value("successfulJobsHistoryLimit", out.successful_limit);
    out.failed_limit = spec.value("failedJobsHistoryLimit", out.failed_limit);
    out.strategy = strategy_of(spec.value("scalingStrategy", json::object()));
    out.rollout.is_gradual = spec.value("rolloutStrategy", rollout.value("strategy", "immediate")) == "gradual";
    out.rollout.is_foreground = rollout.value("propagationPolicy", "background") == "foreground";
    const json made_from = entry.value("template", json::object());
    out.template_labels = texts_of(made_from, "labels");
    out.restart_policy = made_from.value("restartPolicy", "");
    return out;
}

std::vector<gputide::jobs::job> jobs_of(const json& object) {
    std::vector<gputide::jobs::job> out;
    for (const json& written : object.value("jobs", json::array())) {
        gputide::jobs::job next;
        next.name = written.at("name");
        next.conditions = conditions_of(written);
        next.completed_ms = seconds_of(written, "completion_s");
        next.created_ms = seconds_of(written, "created_s");
        next.is_deleting = written.value("deleting", false);
        if (written.contains("generation")) next.generation = written.at("generation").get<std::string>();
        for (const json& pod : written.value("pods", json::array())) {
            next.pods.push_back({pod.value("phase", ""), conditions_of(pod)});
        }
        next.pods_unreadable = written.value("pods_unreadable", false);
        out.push_back(std::move(next));
    }
    return out;
}

std::vector<gputide::jobs::trigger_reading> triggers_of(const json& written) {
    std::vector<gputide::jobs::trigger_reading> out;
    for (const json& entry : written) {
        gputide::jobs::trigger_reading next;
        next.is_resource = entry.value("resource", false);
        next.cannot_be_built = entry.value("build_error", false);
        if (entry.contains("reads")) {
            for (const json& read : entry.at("reads")) next.metrics.push_back(reading_of(read));
        } else if (!next.is_resource && !next.cannot_be_built) {
            next.metrics.push_back(reading_of(entry));
        }
        out.push_back(std::move(next));
    }
    return out;
}

json events_json(const std::vector<gputide::jobs::event>& events) {
    json out = json::array();
    for (const gputide::jobs::event& event : events) {
        out.push_back(
            {{"type", event.is_warning ? "Warning" : "Normal"}, {"reason", event.reason}, {"message", event.message}});
    }
    return out;
}

json verdict_json(const gputide::jobs::verdict& verdict) {
    return {{"status", verdict.status}, {"reason", verdict.reason}, {"message", verdict.message}};
}

gputide::jobs::erase_job recorded_deletions::eraser() {
    return [this](const gputide::jobs::job& job) -> gputide::jobs::deletion {
        names_.push_back(job.name);
        for (const json& error : errors_) {
            if (error.at("name") != job.name) continue;
            const std::string why = error.at("error");
            return {why == "not_found" ? gputide::jobs::deletion::result::not_found
                                       : gputide::jobs::deletion::result::failed,
                    why};
        }
        return {};
    };
}

}  // namespace conformance

namespace conformance::scaledjob_controller {

using namespace gputide::jobs;
namespace manifest = gputide::manifest;

namespace {

// In KEDA's words; "": it goes on.
std::string trigger_fault(const inspection& found) {
    if (!found.scalers_can_be_built) return "Failed to ensure ScaledJob is correctly created";
    if (found.has_metric_type) return "Cannot set metricType in ScaledJob triggers";
    return {};
}

std::string rollout_fault(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase,
                          std::vector<event>& events) {
    rollout_result done = roll_out(job, jobs, erase);
    std::move(done.events.begin(), done.events.end(), std::back_inserter(events));
    return std::move(done.error);
}

// Everything that may refuse it, in the order of the profile.
std::string fault_of(const manifest::scaled_job& job, const inspection& found, const std::vector<jobs::job>& jobs,
                     const erase_job& erase, std::vector<event>& events) {
    if (!found.triggers_are_sound) return "ScaledJob doesn't have correct triggers specification";
    if (job.profile == manifest::profile::strict) {
        std::string fault = rollout_fault(job, jobs, erase, events);
        return fault.empty() ? trigger_fault(found) : fault;
    }
    std::string fault = trigger_fault(found);
    return fault.empty() ? rollout_fault(job, jobs, erase, events) : fault;
}

// True: paused, and nothing else is done.
bool pause(const manifest::scaled_job& job, const inspection& found, reconciliation& out) {
    const bool paused = is_paused(job);
    out.paused = pause_change(paused, found.was_paused);
    if (!out.paused) return paused;
    if (paused) out.loop = poll_loop::stopped;
    out.events.push_back({false, out.paused->reason, out.paused->message});
    return paused;
}

void become_ready(const inspection& found, std::string message, reconciliation& out) {
    if (!found.was_ready) out.events.push_back(ready_event());
    out.ready = ready_verdict(std::move(message));
}

}  // namespace

reconciliation reconcile(const manifest::scaled_job& job, const inspection& found, const std::vector<jobs::job>& jobs,
                         const erase_job& erase) {
    reconciliation out;
    if (!found.has_job_target) {
        out.events.push_back(failed_event("ScaledJob.spec.jobTargetRef not found"));
        return out;
    }
    if (pause(job, found, out)) {
        become_ready(found, std::string(paused_message), out);
        return out;
    }
    const std::string fault = fault_of(job, found, jobs, erase, out.events);
    if (!fault.empty()) {
        out.events.push_back(failed_event(fault));
        out.ready = failed_verdict(fault);
        out.active = unknown_activity();
        return out;
    }
    out.loop = poll_loop::started;
    become_ready(found, "ScaledJob is defined correctly and is ready to scaling", out);
    return out;
}

}  // namespace conformance::scaledjob_controller
