// KEDA's validation rules for a ScaledObject, and the meaning of its annotations.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/names.hpp"
#include "manifest/scalers.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gputide::manifest {
namespace {

bool all_resource(const spec& spec) {
    return std::ranges::all_of(spec.triggers, [](const trigger& entry) { return entry.is_resource; });
}

// m: 0 if min is absent, else the HPA's minimum; an explicit 0 therefore counts as 1.
void check_replicas(const scaling& scaling, violations& out) {
    const std::int32_t m = scaling.min ? scaling.hpa_min() : 0;
    const char* const code = "incorrect-replicas";
    if (m > scaling.max) {
        add_violation(out, "spec.minReplicaCount",
                      format_text("MinReplicaCount={} must be less than MaxReplicaCount={}", m, scaling.max),
                      "lower minReplicaCount or raise maxReplicaCount; equal is accepted", code);
    }
    if (scaling.idle && *scaling.idle >= m) {
        add_violation(out, "spec.idleReplicaCount",
                      format_text("IdleReplicaCount={} must be less than MinReplicaCount={}", *scaling.idle, m),
                      format_text("lower idleReplicaCount, or write minReplicaCount: {} or more",
                                  std::int64_t{*scaling.idle} + 1),
                      code);
    }
}

void check_fallback(const spec& spec, violations& out) {
    if (!spec.scaling.fallback) return;
    const char* const code = "incorrect-fallback";
    if (spec.scaling.fallback->failure_threshold < 0 || spec.scaling.fallback->replicas < 0) {
        add_violation(out, "spec.fallback",
                      format_text("FailureThreshold={} & Replicas={} must both be greater than or equal to 0",
                                  spec.scaling.fallback->failure_threshold, spec.scaling.fallback->replicas),
                      "write 0 or more in both", code);
    }
    if (!spec.scaling.modifiers && !spec.triggers.empty() && all_resource(spec)) {
        add_violation(out, "spec.fallback",
                      "at least one trigger (that is not cpu or memory) has to have the `AverageValue` type for the "
                      "fallback to be enabled",
                      "add such a trigger, or remove fallback", code);
    }
    if (spec.scaling.fallback->behavior == fallback_behavior::scaling_modifiers &&
        (!spec.scaling.modifiers || spec.scaling.modifiers->formula.empty())) {
        add_violation(out, "spec.fallback.behavior",
                      "scalingModifiers fallback behavior requires scalingModifiers.formula to be defined",
                      "add advanced.scalingModifiers.formula, or choose another behavior",
                      "scaling-modifiers-fallback");
    }
}

void check_triggers(const spec& spec, violations& out) {
    const char* const code = "incorrect-triggers";
    if (spec.triggers.empty()) {
        add_violation(out, "spec.triggers", "no triggers defined in the ScaledObject/ScaledJob", "add a trigger", code);
        return;
    }
    std::set<std::string> names;
    for (const trigger& entry : spec.triggers) {
        if (entry.name.empty() || names.insert(entry.name).second) continue;
        add_violation(
            out, format_text("spec.triggers[{}].name", entry.index),
            format_text("triggerName {} is defined multiple times in the ScaledObject/ScaledJob, but it must be unique",
                        in_quotes(entry.name)),
            "give each trigger a name of its own", code);
    }
    if (all_resource(spec) && spec.scaling.min.value_or(0) == 0) {
        add_violation(
            out, "spec.minReplicaCount",
            "scaledobject has only cpu/memory triggers AND minReplica is 0 (scale to zero doesn't work in this "
            "case)",
            "write minReplicaCount: 1 or more, or add a trigger that is not cpu or memory",
            "scale-to-zero-requirements-not-met");
    }
}

void check_name(const scaling& scaling, violations& out) {
    if (scaling.name.size() <= max_label_bytes) return;
    add_violation(out, "metadata.name",
                  format_text("the name {} has {} characters, at most {} are allowed", in_quotes(scaling.name),
                              scaling.name.size(), max_label_bytes),
                  "choose a shorter name", "name-too-long");
}

// Formula and target must be present, the target a number above 0.  The compiler checks the formula's syntax.
void check_modifiers(const scaling_modifiers& modifiers, violations& out) {
    constexpr std::string_view path = "spec.advanced.scalingModifiers";
    const char* const code = "scaling-modifiers";
    if (modifiers.formula.empty()) {
        add_violation(out, {path, ".formula"},
                      "error validating formula in ScalingModifiers: error ScalingModifiers.Formula is mandatory",
                      "add a formula over the names of the triggers", code);
    }
    if (modifiers.target.empty()) {
        if (modifiers.formula.empty()) return;
        add_violation(out, {path, ".target"},
                      "error validating target in ScalingModifiers: formula is given but target is empty",
                      "add target: \"<number>\"", code);
        return;
    }
    const std::optional<double> target = parse_go_float(modifiers.target, true);
    if (!target || !(*target > 0.0)) {
        add_violation(out, {path, ".target"},
                      format_text("error validating target in ScalingModifiers: error converting target for "
                                  "scalingModifiers (string->float) to valid target: expected a number above 0, got {}",
                                  in_quotes(modifiers.target)),
                      "write a number above 0", code);
    }
    if (!modifiers.activation_target.empty() && !parse_go_float(modifiers.activation_target, true)) {
        add_violation(out, {path, ".activationTarget"},
                      format_text("scalingModifiers.ActivationTarget parsing error: expected a number, got {}",
                                  in_quotes(modifiers.activation_target)),
                      "write a number", code);
    }
}

}  // namespace

violations validate_scaled_object(const spec& written) {
    violations out;
    check_name(written.scaling, out);
    check_triggers(written, out);
    check_replicas(written.scaling, out);
    check_fallback(written, out);
    if (written.scaling.modifiers) check_modifiers(*written.scaling.modifiers, out);
    return out;
}

// paused-replicas pauses by its presence, even with paused: "false".
pause read_pause(const texts& annotations) {
    pause out;
    out.annotated = annotations.contains(pause_flags.front().annotation) || annotations.contains(paused_replicas_key);
    for (const auto& [key, flag] : pause_flags) {
        const auto at = annotations.find(key);
        out.*flag = at != annotations.end() && parse_go_bool(at->second).value_or(true);
    }
    const auto replicas = annotations.find(paused_replicas_key);
    if (replicas == annotations.end()) return out;
    out.paused = true;
    const std::optional<std::int64_t> count = parse_int64(replicas->second);
    if (count && *count >= 0 && *count <= limits::max_replicas) {
        out.paused_replicas = static_cast<std::int32_t>(*count);
    }
    return out;
}

}  // namespace gputide::manifest
