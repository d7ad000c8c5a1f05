// Reading one trigger; what its metadata means is the business of the source of that type.
#include "config/trigger_reader.hpp"

#include "base/text.hpp"

#include <utility>

namespace gputide::config {
namespace {

// kedacore/keda pkg/scalers/scaler.go GetMetricTargetType; cpu and memory: pkg/scalers/cpu_memory_scaler.go.
target_type read_metric_type(mapping& from, const std::string& type) {
    const bool resource = is_resource_trigger(type);
    const std::string written = from.text("metricType").value_or("");
    if (written.empty()) return resource ? target_type::utilization : target_type::average_value;
    if (written == "AverageValue") return target_type::average_value;
    if (written == "Utilization" && resource) return target_type::utilization;
    if (written == "Value" && !resource) return target_type::value;
    if (resource) {
        from.error("metricType", "invalid-value",
                   "metricType: " + quoted(written) + " is not supported for a " + type + " trigger",
                   "write Utilization or AverageValue");
    } else if (written == "Utilization") {
        from.error("metricType", "invalid-value",
                   "'Utilization' metric type is unsupported for external metrics, allowed values are 'Value' or "
                   "'AverageValue'",
                   "write AverageValue or Value");
    } else {
        from.error("metricType", "invalid-value", "metricType: expected AverageValue or Value, got " + quoted(written),
                   "write AverageValue or Value");
    }
    return target_type::average_value;
}

bool ends_with(std::string_view text, std::string_view suffix) {
    return text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// <key>FromEnv: the metadata names a variable of the workload's container; here it is one of the host program.  With
// <key>FromEnvFile (credentialsFromEnvFile) that variable holds a file's path.
void resolve_environment(trigger& of, bool strict, const load_context& with) {
    for (const auto& [key, value] : of.metadata) {
        if (!ends_with(key, "FromEnv") && !ends_with(key, "FromEnvFile")) continue;
        const std::string name(trim(value));
        if (name.empty()) continue;
        const place& at = of.metadata_places[key];
        if (!with.host.environment) {
            with.findings.add(with.level_of_missing(false), "environment-not-allowed", at,
                              key + ": this program does not allow the environment to be read",
                              "let the host program allow it, or use a TriggerAuthentication");
            continue;
        }
        if (std::optional<std::string> found = with.host.environment(name)) {
            of.resolved_env[name] = secret_text(std::move(*found));
            continue;
        }
        std::string message = key;
        message.append(": the environment variable ").append(name).append(" is not set");
        with.findings.add(with.level_of_missing(strict), "missing-variable", at, std::move(message),
                          "set " + name + " before the start");
    }
}

void check_cached(mapping& from, const trigger& of) {
    if (!of.use_cached_metrics || !(is_resource_trigger(of.type) || of.type == "cron")) return;
    from.error("useCachedMetrics", "incorrect-triggers",
               "property \"useCachedMetrics\" is not supported for " + quoted(of.type) + " scaler", "remove it");
}

}  // namespace

bool is_resource_trigger(std::string_view type) { return type == "cpu" || type == "memory"; }

trigger take_trigger(mapping& from, std::int32_t index, const trigger_owner& owner, const load_context& with) {
    trigger to;
    to.rules = owner.rules;
    to.index = index;
    to.at = from.here().where();
    to.type = from.required_text("type");
    to.name = from.text("name").value_or("");
    to.name_space = owner.name_space;
    if (from.has("metadata")) {
        to.metadata = from.texts("metadata", &to.metadata_places);
    } else {
        from.error("metadata", "missing-field", "a trigger's metadata is required",
                   "add metadata: with what its type needs; {} if that is nothing");
        from.ignore({"metadata"});
    }
    take_own_metadata(to, with.findings);
    to.metric_type = read_metric_type(from, to.type);
    to.use_cached_metrics = from.flag("useCachedMetrics").value_or(false);
    check_cached(from, to);
    resolve_environment(to, owner.strict, with);
    if (const auto reference = from.object("authenticationRef")) {
        to.auth = resolve_authentication(*reference, owner.name_space, owner.strict, with);
    }
    return to;
}

}  // namespace gputide::config
