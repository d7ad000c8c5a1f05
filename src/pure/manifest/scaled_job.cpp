// Reads a ScaledJob.
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "manifest/names.hpp"
#include "manifest/scalers.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

namespace gputide::manifest {
namespace {

// Reads a value of a schema's enum; case-sensitive, and an empty text is not valid.
std::string word(mapping& fields, std::string_view key, std::initializer_list<std::string_view> words) {
    std::string out = fields.text(key).value_or("");
    if (!fields.has(key) || std::ranges::find(words, out) != words.end()) return out;
    fields.error(key, "invalid-value",
                 format_text("{}: {}", key, unsupported_value(out, {words.begin(), words.size()})),
                 "write one of these");
    return {};
}

void read_rollout(mapping& body, scaled_job& out, report& findings) {
    std::string strategy;
    if (const auto at = body.object("rollout")) {
        mapping fields(*at, findings);
        strategy = word(fields, "strategy", {"gradual", "immediate"});
        out.rollout.is_foreground = word(fields, "propagationPolicy", {"foreground", "background"}) == "foreground";
        fields.finish();
    }
    const std::string deprecated = word(body, "rolloutStrategy", {"gradual", "immediate"});
    out.rollout.is_gradual = (deprecated.empty() ? strategy : deprecated) == "gradual";
}

// Rejects a YAML number: the schema requires text.
std::string fraction_text(mapping& fields) {
    constexpr std::string_view key = "customScalingRunningJobPercentage";
    const node* written = fields.here().at->find(key);
    if (written != nullptr && written->kind == node_kind::scalar && !is_null(*written) &&
        type_of(*written) != scalar_type::text) {
        fields.error(key, "wrong-type", format_text("{}: expected text, got {}", key, kind_name(*written)),
                     "put the number in quotes");
        fields.ignore({key});
        return {};
    }
    return fields.text(key).value_or("");
}

void read_strategy(const cursor& at, scaled_job& out, report& findings) {
    mapping fields(at, findings);
    scaling_strategy& strategy = out.strategy;
    strategy.name = word(fields, "strategy", {"default", "custom", "accurate", "eager"});
    strategy.queue_length_deduction = fields.integer("customScalingQueueLengthDeduction").value_or(0);
    strategy.running_job_fraction = fraction_text(fields);
    strategy.calculation = word(fields, "multipleScalersCalculation", {"min", "avg", "sum", "max"});
    if (const auto items = fields.list("pendingPodConditions")) {
        for (const cursor& item : *items) strategy.pending_conditions.push_back(scalar_text(*item.at).value_or(""));
    }
    fields.finish();
    if (out.profile == profile::strict || strategy.name != "custom" || strategy.running_job_fraction.empty()) return;
    const auto fraction = parse_go_float(strategy.running_job_fraction, true);
    if (fraction && std::isfinite(*fraction)) return;
    fields.error("customScalingRunningJobPercentage", own_code,
                 format_text("{} is not a number; KEDA silently uses the default strategy",
                             in_quotes(strategy.running_job_fraction)),
                 "write a fraction, \"0.5\" for half of the running jobs");
}

void read_job_target(mapping& body, scaled_job& out, report& findings) {
    const auto target = body.object("jobTargetRef");
    if (!target) {
        body.error("jobTargetRef", "missing-field", "jobTargetRef is required",
                   "add jobTargetRef: with a Job's template");
        return;
    }
    const node* pod_template = target->at->find("template");
    if (pod_template == nullptr) {
        findings.add(severity::error, "missing-field", target->place_of("template"),
                     "jobTargetRef.template is required", "add the field template with the Job's pod template");
        return;
    }
    const cursor at = target->child(*pod_template);
    if (const node* metadata = pod_template->find("metadata"); metadata != nullptr) {
        mapping fields(at.child(*metadata), findings);
        out.template_labels = fields.texts("labels");
    }
    const node* spec = pod_template->find("spec");
    const node* policy = spec == nullptr ? nullptr : spec->find("restartPolicy");
    if (policy != nullptr) out.restart_policy = scalar_text(*policy).value_or("");
}

void read_triggers(mapping& body, const load_context& context, const original_versions& versions,
                   written_scaled_job& out) {
    const auto items = body.list("triggers");
    if (!items || items->empty() || items->size() > limits::triggers) {
        body.error("triggers", "missing-field",
                   format_text("spec.triggers in body should have at least 1 items, and at most {} are read",
                               limits::triggers),
                   "give a trigger");
        return;
    }
    std::set<std::string> names;
    trigger_owner owner{out.job.name_space, out.job.name, out.job.profile == profile::strict, {}};
    owner.rules.versions = versions;
    for (const cursor& item : *items) {
        mapping fields(item, context.findings);
        out.triggers.push_back(take_trigger(fields, static_cast<std::int32_t>(out.triggers.size()), owner, context));
        const std::string& name = out.triggers.back().name;
        if (!name.empty() && !names.insert(name).second) {
            fields.error(
                "name", webhook_code,
                format_text("triggerName {} is defined multiple times in the ScaledObject/ScaledJob, but it must be "
                            "unique",
                            in_quotes(name)),
                "give each trigger a name of its own");
        }
        if (fields.has("metricType")) {
            fields.error("metricType", reconciler_code, "Cannot set metricType in ScaledJob triggers", "remove it");
        }
        fields.finish();
    }
}

void read_numbers(mapping& body, scaled_job& out) {
    out.polling_interval_s = body.integer("pollingInterval", 1).value_or(out.polling_interval_s);
    out.min = body.integer("minReplicaCount", 0);
    out.max = body.integer("maxReplicaCount", 1);
    out.successful_limit = body.integer("successfulJobsHistoryLimit", 0).value_or(out.successful_limit);
    out.failed_limit = body.integer("failedJobsHistoryLimit", 0).value_or(out.failed_limit);
}

void read_object(const manifest& manifest, scaled_job& out, report& findings) {
    out.name = manifest.metadata.name;
    out.name_space = manifest.metadata.name_space;
    out.annotations = manifest.metadata.annotations;
    const node* metadata = manifest.at.at->find("metadata");
    if (metadata == nullptr) return;
    mapping fields(manifest.at.child(*metadata), findings);
    out.uid = fields.text_or_empty("uid");
    out.generation = fields.integer("generation", 0).value_or(0);
    out.labels = fields.texts("labels");
    if (out.profile == profile::strict || out.name.size() <= max_label_bytes) return;
    fields.error("name", own_code,
                 format_text("the name has {} characters; as a label value of each Job it may have {}", out.name.size(),
                             max_label_bytes),
                 "choose a shorter name: KEDA accepts this one, but the API server rejects its Jobs");
}

}  // namespace

written_scaled_job read_scaled_job(const manifest& manifest, const load_context& context) {
    written_scaled_job out;
    out.at = manifest.at.where();
    const own_rules own = read_own_rules(manifest, context);
    out.job.profile = own.extra.profile;
    out.job.versions = own.controller.versions;
    out.job.gpus_per_job_milli = own.extra.gpus_per_replica_milli;
    out.job.cost_per_gpu_hour = own.extra.cost_per_gpu_hour;
    read_object(manifest, out.job, context.findings);
    mapping top(manifest.at, context.findings);
    top.ignore({"apiVersion", "kind", "metadata", "status"});
    const auto at = top.object("spec");
    top.finish();
    if (!at) {
        top.error("spec", "missing-field", "spec is required", "add spec: with jobTargetRef and triggers");
        return out;
    }
    mapping body(*at, context.findings);
    read_job_target(body, out.job, context.findings);
    read_numbers(body, out.job);
    read_rollout(body, out.job, context.findings);
    if (const auto strategy = body.object("scalingStrategy")) read_strategy(*strategy, out.job, context.findings);
    read_triggers(body, context, own.controller.versions, out);
    body.ignore({"envSourceContainerName"});
    body.finish();
    return out;
}

}  // namespace gputide::manifest
