// Reads a ScaledObject.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/names.hpp"
#include "manifest/scalers.hpp"
#include "manifest/scaling.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace gputide::manifest {
namespace {

// Warns of boolean annotations that are not a boolean: KEDA treats them as true, which is rarely intended.
void warn_of_odd_annotations(const object_metadata& metadata, report& findings) {
    for (const auto& [key, flag] : pause_flags) {
        const auto at = metadata.annotations.find(key);
        if (at == metadata.annotations.end() || parse_go_bool(at->second)) continue;
        findings.add(severity::warning, "annotation-counts-as-true", metadata.annotation_places.at(key),
                     format_text("{}: {} is not a boolean; KEDA treats it as true", key, in_quotes(at->second)),
                     "write \"true\" or \"false\"");
    }
}

// Warns of unknown keys with KEDA's prefixes, which have no effect in KEDA (kedacore/keda
// apis/keda/v1alpha1/scaledobject_types.go @v2.21.0 has the known ones).
void warn_of_unknown_annotations(const object_metadata& metadata, report& findings) {
    std::vector<std::string_view> known{"scaledobject.keda.sh/name", "scaledobject.keda.sh/hpa-excluded-labels",
                                        "scaledobject.keda.sh/transfer-hpa-ownership",
                                        "validations.keda.sh/hpa-ownership"};
    std::ranges::transform(pause_flags, std::inserter(known, known.begin()), &pause_flag::annotation);
    known.insert(known.begin() + 1, paused_replicas_key);  // of equally near names the first is meant
    for (const auto& [key, value] : metadata.annotations) {
        const std::string_view prefix = std::string_view(key).substr(0, key.find('/'));
        if (prefix != "autoscaling.keda.sh" && prefix != "scaledobject.keda.sh" && prefix != "validations.keda.sh")
            continue;
        if (std::ranges::find(known, key) != known.end()) continue;
        const std::string_view near = nearest(key, known);
        findings.add(severity::warning, "unknown-annotation", metadata.annotation_places.at(key),
                     format_text("{} is not an annotation of KEDA and has no effect", key),
                     near.empty() ? "remove it, or check its spelling" : format_text("did you mean {}?", near));
    }
}

void read_target(mapping& body, scaling& scaling, report& findings) {
    const std::optional<cursor> at = body.object("scaleTargetRef");
    if (!at && body.has("jobTargetRef")) return;  // a ScaledJob was meant: refuse_foreign_fields
    if (!at) {
        body.error("scaleTargetRef", "missing-field", "scaleTargetRef is required",
                   "add scaleTargetRef: and below it name: <workload>");
        return;
    }
    mapping target(*at, findings);
    target.misplaced("deploymentName", "name");
    scaling.target_name = target.required_text("name");
    check_dns_subdomain(target, "name", scaling.target_name);
    if (const auto version = target.text("apiVersion"); version && !version->empty())
        scaling.target_api_version = *version;
    if (const auto kind = target.text("kind"); kind && !kind->empty()) scaling.target_kind = *kind;
    check_target_type(target, scaling.target_api_version, scaling.target_kind);
    target.ignore({"envSourceContainerName"});
    target.finish();
}

void read_numbers(mapping& body, scaling& scaling) {
    scaling.polling_interval_s = body.integer("pollingInterval", 1).value_or(scaling.polling_interval_s);
    scaling.cooldown_s = body.integer("cooldownPeriod", 0).value_or(scaling.cooldown_s);
    scaling.initial_cooldown_s = body.integer("initialCooldownPeriod", 0).value_or(scaling.initial_cooldown_s);
    scaling.idle = body.integer("idleReplicaCount", 0);
    scaling.min = body.integer("minReplicaCount", 0);
    scaling.max = body.integer("maxReplicaCount", 1).value_or(scaling.max);
}

fallback_behavior read_fallback_behavior(mapping& fields) {
    static constexpr std::array<std::string_view, 5> words{"static", "currentReplicas", "currentReplicasIfHigher",
                                                           "currentReplicasIfLower", "scalingModifiers"};
    const std::string written = fields.text_or_empty("behavior");
    if (written.empty()) return fallback_behavior::fixed;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (written == words[i]) return static_cast<fallback_behavior>(i);
    }
    fields.error("behavior", "invalid-value",
                 format_text("behavior: {} is not a fallback behavior", in_quotes(written)),
                 "write static, currentReplicas, currentReplicasIfHigher, currentReplicasIfLower or scalingModifiers");
    return fallback_behavior::fixed;
}

void read_fallback(const cursor& cursor, scaling& scaling, report& findings) {
    mapping fields(cursor, findings);
    fallback out;
    for (const std::string_view key : {"failureThreshold", "replicas"}) {
        if (fields.has(key)) continue;
        fields.error(key, "missing-field", format_text("fallback.{} is required", key),
                     format_text("add {}: <number>", key));
    }
    out.failure_threshold = fields.integer("failureThreshold").value_or(0);
    out.replicas = fields.integer("replicas").value_or(0);
    out.behavior = read_fallback_behavior(fields);
    fields.finish();
    scaling.fallback = out;
}

// Any field that is not empty enables modifiers.
void read_modifiers(const cursor& cursor, scaling& scaling, report& findings) {
    mapping fields(cursor, findings);
    scaling_modifiers out;
    out.formula = fields.text_or_empty("formula");
    out.target = fields.text_or_empty("target");
    out.activation_target = fields.text_or_empty("activationTarget");
    const std::string type = fields.text_or_empty("metricType");
    if (type == "Value") {
        out.metric_type = target_type::value;
    } else if (!type.empty() && type != "AverageValue") {
        fields.error("metricType", "scaling-modifiers",
                     type == "Utilization"
                         ? "error trigger type is Utilization, but it needs to be AverageValue or Value for "
                           "external metrics"
                         : "metricType: expected AverageValue or Value, got " + in_quotes(type),
                     "write AverageValue or Value");
    }
    fields.finish();
    const bool used = !out.formula.empty() || !out.target.empty() || !out.activation_target.empty() || !type.empty();
    if (used) scaling.modifiers = std::move(out);
}

void read_hpa_config(const cursor& at, const cursor& root, spec& spec, report& findings) {
    mapping fields(at, findings);
    const std::string name = fields.text_or_empty("name");
    if (name.size() > 63) {
        fields.error(
            "name", "hpa-name-too-long",
            format_text("the HPA name {} has {} characters, at most 63 are allowed", in_quotes(name), name.size()),
            "choose a shorter name");
    }
    if (!name.empty()) spec.hpa_name = name;
    if (const auto behavior = fields.object("behavior")) {
        violations refused;
        const std::string path = behavior->path.substr(root.path.empty() ? 0 : root.path.size() + 1);
        spec.scaling.behavior = read_behavior(*behavior, path, spec.scaling.controller, refused, findings);
        add_violations(findings, root, refused);
    }
    fields.finish();
}

void read_advanced(const cursor& at, const cursor& root, spec& spec, report& findings) {
    mapping fields(at, findings);
    static_cast<void>(fields.flag("restoreToOriginalReplicaCount"));  // only its type matters: nothing is deleted here
    if (const auto hpa = fields.object("horizontalPodAutoscalerConfig")) read_hpa_config(*hpa, root, spec, findings);
    if (const auto modifiers = fields.object("scalingModifiers")) read_modifiers(*modifiers, spec.scaling, findings);
    fields.misplaced("behavior", "advanced.horizontalPodAutoscalerConfig.behavior");
    fields.finish();
}

void read_triggers(mapping& body, const trigger_owner& owner, spec& spec, const load_context& context) {
    const auto items = body.list("triggers");
    if (!items) return;
    if (items->size() > limits::triggers) {
        body.error("triggers", "too-many-triggers",
                   format_text("{} triggers, at most {} are read", items->size(), limits::triggers),
                   "split the ScaledObject", error_class::limit);
        return;
    }
    for (const cursor& item : *items) {
        mapping fields(item, context.findings);
        spec.triggers.push_back(take_trigger(fields, static_cast<std::int32_t>(spec.triggers.size()), owner, context));
        fields.finish();
    }
}

// Warns of cpu and memory triggers without a source: the HPA reads them from a cluster's metrics API.
void warn_of_unfed_triggers(const spec& spec, const known_kinds& kinds, report& findings) {
    if (spec.metrics_from_cluster || spec.metrics_from_host) return;
    for (const trigger& entry : spec.triggers) {
        const trigger_kind* kind = kinds.trigger(entry.type);
        if (kind == nullptr || !kind->is_resource) continue;
        findings.add(severity::warning, "missing-source", entry.at,
                     format_text("{}: {}", entry.label(), unfed_text(metric_kind::resource, entry.type)),
                     unfed_remedy(metric_kind::resource, entry.type));
    }
}

// Warns of settings that KEDA accepts and that have no effect.
void warn_of_idle_settings(mapping& body, const spec& spec) {
    const bool cached =
        std::ranges::any_of(spec.triggers, [](const trigger& entry) { return entry.use_cached_metrics; });
    if (body.has("pollingInterval") && !polling_interval_is_relevant(spec.scaling, cached)) {
        const bool paces_failures = spec.scaling.fallback && !takes_hpa_reads(spec.scaling, cached);
        body.warning(
            "pollingInterval", "not-relevant",
            format_text(
                "PollingInterval is configured but is not relevant: with minReplicaCount above 0 and no "
                "idleReplicaCount, formula or useCachedMetrics only the HPA's reads decide; the interval only sets "
                "how often the status is updated{}",
                paces_failures ? " and, before keda-version 2.21, how fast failures are counted for the fallback" : ""),
            "remove it, or write minReplicaCount: 0");
    }
    if (body.has("cooldownPeriod") && !cooldown_is_relevant(spec.scaling)) {
        body.warning(
            "cooldownPeriod", "not-relevant",
            "CooldownPeriod is configured but is not relevant: with minReplicaCount above 0 and no idleReplicaCount "
            "the workload never scales to 0",
            "remove it, or write minReplicaCount: 0; "
            "scaleDown.stabilizationWindowSeconds delays scaling down to 1 or more replicas");
    }
}

void refuse_foreign_fields(mapping& body) {
    body.misplaced("minReplicas", "minReplicaCount");
    body.misplaced("maxReplicas", "maxReplicaCount");
    body.misplaced("behavior", "advanced.horizontalPodAutoscalerConfig.behavior");
    body.misplaced("metrics", "triggers");
    body.misplaced("scalingModifiers", "advanced.scalingModifiers");
    if (body.has("jobTargetRef")) {
        body.error("jobTargetRef", "wrong-kind",
                   "jobTargetRef creates Jobs and belongs to a ScaledJob; a ScaledObject scales an existing workload",
                   "write kind: ScaledJob, without scaleTargetRef");
    }
    body.ignore({"jobTargetRef"});
}

}  // namespace

spec read_scaled_object(const manifest& manifest, const load_context& context) {
    report& findings = context.findings;
    spec out;
    scaling& scaled = out.scaling = scaling_of(manifest);
    scaled.pause = read_pause(manifest.metadata.annotations);
    warn_of_odd_annotations(manifest.metadata, findings);
    warn_of_unknown_annotations(manifest.metadata, findings);
    const auto replicas = manifest.metadata.annotations.find(paused_replicas_key);
    if (replicas != manifest.metadata.annotations.end() && !scaled.pause.paused_replicas) {
        findings.add(severity::warning, "paused-replicas", manifest.metadata.annotation_places.at(paused_replicas_key),
                     format_text("failed to parse paused replica count: expected a whole number from 0 on, got {}; the "
                                 "object is paused in any case",
                                 in_quotes(replicas->second)),
                     "write a whole number in quotes, or remove the annotation");
    }

    const own_rules own = take_own_rules(manifest, context, out);

    mapping top(manifest.at, findings);
    top.ignore({"apiVersion", "kind", "metadata", "status"});
    const std::optional<cursor> at = top.object("spec");
    top.finish();
    if (!at) {
        top.error("spec", "missing-field", "spec is required", "add spec: with scaleTargetRef and triggers");
        return out;
    }
    mapping body(*at, findings);
    out.hpa_name = "keda-hpa-" + scaled.name;
    read_target(body, scaled, findings);
    read_numbers(body, scaled);
    if (const auto block = body.object("fallback")) read_fallback(*block, scaled, findings);
    if (const auto block = body.object("advanced")) read_advanced(*block, manifest.at, out, findings);
    read_triggers(body, {scaled.name_space, scaled.name, scaled.extra.profile == profile::strict, own.trigger}, out,
                  context);
    refuse_foreign_fields(body);
    body.finish();
    warn_of_idle_settings(body, out);
    warn_of_unfed_triggers(out, context.host.kinds, context.findings);
    warn_of_forecast(manifest.metadata, out, context.host.kinds, findings);
    add_violations(findings, manifest.at, validate_scaled_object(out));
    return out;
}

}  // namespace gputide::manifest
