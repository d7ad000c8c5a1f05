// Reads a trigger; the source of its type interprets the metadata.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/authentication.hpp"

#include <utility>

namespace gputide::manifest {
namespace {

// Reads metricType: kedacore/keda pkg/scalers/scaler.go GetMetricTargetType; for resources pkg/scalers/cpu_memory_scaler.go.
target_type read_metric_type(mapping& fields, const std::string& type, bool resource) {
    const std::string written = fields.text_or_empty("metricType");
    if (written.empty()) return resource ? target_type::utilization : target_type::average_value;
    if (written == "AverageValue") return target_type::average_value;
    if (written == "Utilization" && resource) return target_type::utilization;
    if (written == "Value" && !resource) return target_type::value;
    if (resource) {
        fields.error("metricType", "invalid-value",
                     format_text("metricType: {} is not supported for a {} trigger", in_quotes(written), type),
                     "write Utilization or AverageValue");
    } else if (written == "Utilization") {
        fields.error("metricType", "invalid-value",
                     "'Utilization' metric type is unsupported for external metrics, allowed values are 'Value' or "
                     "'AverageValue'",
                     "write AverageValue or Value");
    } else {
        fields.error("metricType", "invalid-value",
                     "metricType: expected AverageValue or Value, got " + in_quotes(written),
                     "write AverageValue or Value");
    }
    return target_type::average_value;
}

bool ends_with(std::string_view text, std::string_view suffix) {
    return text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// Resolves <key>FromEnv: in KEDA the metadata names a variable of the workload's container; here it is one of the host
// program.  With <key>FromEnvFile (credentialsFromEnvFile) that variable contains a file's path.
void resolve_environment(trigger& trigger, bool strict, const load_context& context) {
    for (const auto& [key, value] : trigger.metadata) {
        if (!ends_with(key, "FromEnv") && !ends_with(key, "FromEnvFile")) continue;
        const std::string name(trim(value));
        if (name.empty()) continue;
        const place& at = trigger.metadata_places[key];
        variable answer = look_up(context.host.environment, name);
        if (!answer.is_allowed) {
            context.findings.add(context.level_of_missing(false), "environment-not-allowed", at,
                                 format_text("{}: {}", key, not_allowed_text(name, answer)),
                                 format_text("{}, or use a TriggerAuthentication", how_to_allow));
            continue;
        }
        if (answer.value) {
            trigger.resolved_env[name] = secret_text(*std::move(answer.value));
            continue;
        }
        std::string message = key;
        message.append(": the environment variable ").append(name).append(" is not set");
        context.findings.add(context.level_of_missing(strict), "missing-variable", at, message,
                             format_text("set {} before the program starts", name));
    }
}

void check_cached(mapping& fields, const trigger& trigger, const trigger_kind* kind) {
    if (!trigger.use_cached_metrics || kind == nullptr || kind->can_cache) return;
    fields.error("useCachedMetrics", "incorrect-triggers",
                 format_text("property \"useCachedMetrics\" is not supported for {} scaler", in_quotes(trigger.type)),
                 "remove it");
}

}  // namespace

scaling scaling_of(const manifest& manifest) {
    scaling out;
    if (manifest.kind == document_kind::horizontal_pod_autoscaler) out.kind = manifest_kind::horizontal_pod_autoscaler;
    out.name = manifest.metadata.name;
    out.name_space = manifest.metadata.name_space;
    out.created_ms = manifest.metadata.created_ms;
    return out;
}

own_rules read_own_rules(const manifest& manifest, const load_context& context) {
    own_rules out;
    out.controller.versions = context.host.versions;
    read_own_annotations(manifest.metadata.annotations, manifest.metadata.annotation_places, context.host.kinds, out,
                         context.findings);
    if (context.host.strict) out.extra.profile = profile::strict;
    return out;
}

own_rules take_own_rules(const manifest& manifest, const load_context& context, spec& out) {
    own_rules own = read_own_rules(manifest, context);
    out.scaling.extra = own.extra;
    out.scaling.controller = own.controller;
    out.metrics_from_cluster = own.metrics_from_cluster;
    out.metrics_from_host = own.metrics_from_host;
    return own;
}

trigger take_trigger(mapping& fields, std::int32_t index, const trigger_owner& owner, const load_context& context) {
    trigger trigger;
    const std::size_t errors = context.findings.count(severity::error);
    trigger.rules = owner.rules;
    trigger.index = index;
    trigger.at = fields.here().where();
    trigger.type = fields.required_text("type");
    const trigger_kind* kind = context.host.kinds.trigger(trigger.type);
    trigger.is_resource = kind != nullptr && kind->is_resource;
    trigger.name = fields.text_or_empty("name");
    trigger.name_space = owner.name_space;
    trigger.owner = owner.name;
    if (fields.has("metadata")) {
        trigger.metadata = fields.texts("metadata", &trigger.metadata_places, "authenticationRef");
    } else {
        fields.error("metadata", "missing-field", "a trigger's metadata is required",
                     "add metadata: with the keys of its type, or {}");
        fields.ignore({"metadata"});
    }
    resolve_environment(trigger, owner.strict, context);
    trigger.has_errors = context.findings.count(severity::error) > errors;
    // An error in the remaining fields does not change the metadata.
    take_own_metadata(trigger, context.host.kinds, context.findings);
    trigger.metric_type = read_metric_type(fields, trigger.type, trigger.is_resource);
    trigger.use_cached_metrics = fields.flag("useCachedMetrics").value_or(false);
    check_cached(fields, trigger, kind);
    if (const auto reference = fields.object("authenticationRef")) {
        trigger.auth = resolve_authentication(*reference, owner.name_space, owner.strict, context);
    }
    return trigger;
}

}  // namespace gputide::manifest
