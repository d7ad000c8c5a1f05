#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "rightsize/settings.hpp"

#include <optional>
#include <string>

namespace gputide::rightsize {
namespace {

using text::severity;

// Not a Kubernetes resource: bounds the memory of each GPU in a policy's minAllowed and maxAllowed.
constexpr std::string_view gpu_memory_resource = "gputide.io/gpu-memory";

struct policy_of_container {
    std::string name;
    text::cursor at;
};

// Selects the lower or the upper bound of a resource.
enum class side : std::uint8_t { min, max };

amount& bound_of(caps& caps, side which) { return which == side::min ? caps.min : caps.max; }

std::optional<quantity> quantity_of(std::string_view name, const std::string& text, const place& where,
                                    text::report& findings) {
    result<quantity> read = parse_quantity(text);
    if (read && read->milli >= 0 && read->value_up <= max_amount) return *read;
    findings.add(
        severity::error, "wrong-type", where,
        format_text("{}: expected a quantity of 0 or more, such as 2, 500m or 40Gi, got {}", name, in_quotes(text)));
    return std::nullopt;
}

void take_gpu_bound(const quantity& bound, std::string_view name, const place& where, side which, settings& settings,
                    text::report& findings) {
    if (bound.milli % 1000 != 0 || bound.value_up > gpu_count_limit) {
        findings.add(severity::error, "wrong-type", where,
                     format_text("{}: expected a whole number of GPUs up to {}, got {}", name, gpu_count_limit,
                                 shortest(static_cast<double>(bound.milli) / 1000.0)),
                     format_text("write a number from 1 to {}", gpu_count_limit));
        return;
    }
    (which == side::min ? settings.now.min_gpus : settings.now.max_gpus) = static_cast<std::int32_t>(bound.value_up);
}

// Sets a bound; as in the VPA, 0 means no bound.
void take_bound(std::string_view name, const std::string& text, const place& where, side which, settings& settings,
                text::report& findings) {
    const std::optional<quantity> bound = quantity_of(name, text, where, findings);
    if (!bound) return;
    if (is_known_gpu(name)) {
        take_gpu_bound(*bound, name, where, which, settings, findings);
    } else if (name == gpu_memory_resource) {
        if (settings.profile == profile::gpu) bound_of(settings.memory_caps, which) = bound->value_up;
    } else if (name == "cpu") {
        if (settings.profile == profile::vpa) bound_of(settings.busy_caps, which) = bound->milli;
    } else if (name == "memory") {
        if (settings.profile == profile::vpa) bound_of(settings.memory_caps, which) = bound->value_up;
    } else {
        findings.add(
            severity::warning, "unknown-resource", where,
            format_text("{}: nothing is recommended for this resource, its bound has no effect", in_quotes(name)),
            "set bounds for cpu and memory, or for nvidia.com/gpu and gputide.io/gpu-memory");
    }
}

void take_bounds(text::mapping& policy, std::string_view key, side which, settings& settings, text::report& findings) {
    const std::optional<text::cursor> list = policy.object(key);
    if (!list) return;
    for (const text::node& node : list->at->children) {
        const text::cursor at = list->child(node);
        if (const std::optional<std::string> text = text::scalar_text(node)) {
            take_bound(node.key, *text, at.where(), which, settings, findings);
        } else {
            findings.add(severity::error, "wrong-type", at.where(), node.key + ": expected a quantity");
        }
    }
}

// Some guides use minResources and maxResources, which the API does not have: kubectl rejects them, and for a client without
// validation the API server drops them, so there is no bound.  The intended members are used here.
void take_misspelled(text::mapping& policy, std::string_view written, std::string_view right, side which,
                     settings& settings, text::report& findings) {
    if (!policy.has(written)) return;
    const bool both = policy.has(right);
    policy.warning(
        written, "vpa-min-max-resources",
        format_text("{}: a VerticalPodAutoscaler has no such member; the API server refuses or drops it, and the "
                    "bound is not in force there. {}",
                    written, both ? std::string("It is not used") : format_text("gputide reads it as {}", right)),
        format_text("write {}", right));
    if (both) {
        policy.ignore({written});
    } else {
        take_bounds(policy, written, which, settings, findings);
    }
}

void check_bounds(const text::cursor& cursor, const settings& settings, text::report& findings) {
    const auto crossed = [](auto min, auto max) { return max > 0 && min > max; };
    if (crossed(settings.now.min_gpus, settings.now.max_gpus) ||
        crossed(settings.memory_caps.min, settings.memory_caps.max) ||
        crossed(settings.busy_caps.min, settings.busy_caps.max))
        findings.add(severity::warning, "min-above-max", cursor.where(),
                     "minAllowed is above maxAllowed for a resource; maxAllowed wins",
                     "raise maxAllowed or lower minAllowed");
}

void take_controlled(text::mapping& policy, settings& settings, text::report& findings) {
    const auto list = policy.list("controlledResources");
    if (!list) return;
    bool gpus = false;
    for (const text::cursor& cursor : *list) {
        const std::string name = text::scalar_text(*cursor.at).value_or("");
        gpus |= is_known_gpu(name) || name == gpu_memory_resource;
        if (name == "cpu" || name == "memory" || is_known_gpu(name) || name == gpu_memory_resource) continue;
        findings.add(severity::warning, "unknown-resource", cursor.where(),
                     format_text("{}: nothing is recommended for this resource", in_quotes(name)),
                     "write cpu, memory or nvidia.com/gpu");
    }
    if (settings.profile == profile::gpu && !gpus) {
        settings.mode = update_mode::off;
        policy.warning("controlledResources", "gpu-not-controlled",
                       "controlledResources names no GPU: recommendations for GPUs are reported, not acted on",
                       "add nvidia.com/gpu to act on them");
    }
}

void take_policy(const text::cursor& cursor, settings& settings, text::report& findings) {
    text::mapping policy(cursor, findings);
    policy.ignore({"containerName", "controlledValues", "startupBoost"});
    take_misspelled(policy, "minResources", "minAllowed", side::min, settings, findings);
    take_misspelled(policy, "maxResources", "maxAllowed", side::max, settings, findings);
    take_bounds(policy, "minAllowed", side::min, settings, findings);
    take_bounds(policy, "maxAllowed", side::max, settings, findings);
    take_controlled(policy, settings, findings);
    if (const std::optional<std::string> mode = policy.text("mode")) {
        if (*mode == "Off") {
            settings.mode = update_mode::off;
        } else if (*mode != "Auto") {
            policy.error("mode", "unknown-value", format_text("mode: expected Auto or Off, got {}", in_quotes(*mode)));
        }
    }
    const auto ratio = policy.quantity("oomBumpUpRatio");
    if (ratio) {
        const result<quantity> read = parse_quantity(*ratio);
        if (read && read->milli >= 1000) {
            settings.usage.peaks.oom.ratio = static_cast<double>(read->milli) / 1000.0;
        } else {
            policy.error("oomBumpUpRatio", "out-of-range",
                         format_text("oomBumpUpRatio: expected 1 or more, got {}", in_quotes(*ratio)));
        }
    }
    if (const auto min = policy.quantity("oomMinBumpUp")) {
        if (const auto read = quantity_of("oomMinBumpUp", *min, policy.place_of("oomMinBumpUp"), findings))
            settings.usage.peaks.oom.min_bytes = read->value_up;
    }
    policy.finish();
    check_bounds(cursor, settings, findings);
}

std::optional<policy_of_container> choose(text::mapping& resources, std::string_view container) {
    const auto list = resources.list("containerPolicies");
    if (!list) return std::nullopt;
    std::optional<policy_of_container> fallback;
    for (const text::cursor& cursor : *list) {
        const text::node* const named = cursor.at->find("containerName");
        const std::string name = named != nullptr ? text::scalar_text(*named).value_or("") : "";
        if (name == "*") {
            if (!fallback) fallback = {name, cursor};
        } else if (container.empty() || name == container) {
            return policy_of_container{name, cursor};
        }
    }
    return fallback;
}

void take_update_policy(text::mapping& spec, settings& settings, text::report& findings) {
    settings.mode = update_mode::recreate;  // the default
    const std::optional<text::cursor> at = spec.object("updatePolicy");
    if (!at) return;
    text::mapping policy(*at, findings);
    policy.ignore({"minReplicas", "evictionRequirements", "evictAfterOOMSeconds"});
    if (const std::optional<std::string> word = policy.text("updateMode")) {
        const std::optional<update_mode> mode = update_mode_of(*word);
        if (mode) {
            settings.mode = *mode;
        } else {
            policy.error(
                "updateMode", "unknown-value",
                format_text("updateMode: expected Off, Initial, Recreate, Auto, InPlaceOrRecreate or InPlace, got {}",
                            in_quotes(*word)));
        }
        if (settings.profile == profile::gpu && mode == update_mode::in_place)
            policy.warning(
                "updateMode", "gpu-in-place",
                "updateMode: InPlace never restarts a pod, but a pod's number of GPUs cannot change without a restart; "
                "recommendations for GPUs are reported, not acted on",
                "write InPlaceOrRecreate");
    }
    policy.finish();
}

void take_metadata(text::mapping& root, settings& settings) {
    const std::optional<text::cursor> at = root.object("metadata");
    if (!at) return;
    const text::node* const name = at->at->find("name");
    const text::node* const name_space = at->at->find("namespace");
    if (name == nullptr) return;
    settings.name =
        format_text("{}/{}", name_space != nullptr ? text::scalar_text(*name_space).value_or("") : "default",
                    text::scalar_text(*name).value_or(""));
}

}  // namespace

void take_vpa(const text::cursor& cursor, settings& settings, text::report& findings) {
    text::mapping root(cursor, findings);
    const std::string kind = root.required_text("kind");
    const std::string version = root.required_text("apiVersion");
    if (kind != "VerticalPodAutoscaler") {
        root.error("kind", "unknown-kind",
                   format_text("kind: expected VerticalPodAutoscaler, got {}", in_quotes(kind)));
        return;
    }
    if (version != "autoscaling.k8s.io/v1")
        root.warning(
            "apiVersion", "old-version",
            format_text("apiVersion: expected autoscaling.k8s.io/v1, got {}; it is read as autoscaling.k8s.io/v1",
                        in_quotes(version)),
            "write autoscaling.k8s.io/v1");
    root.ignore({"status"});
    take_metadata(root, settings);
    if (const std::optional<text::cursor> inner = root.object("spec")) {
        text::mapping spec(*inner, findings);
        spec.ignore({"targetRef", "recommenders", "startupBoost"});
        take_update_policy(spec, settings, findings);
        if (const std::optional<text::cursor> resources = spec.object("resourcePolicy")) {
            text::mapping policies(*resources, findings);
            if (const auto chosen = choose(policies, settings.container)) {
                if (settings.container.empty()) settings.container = chosen->name;
                take_policy(chosen->at, settings, findings);
            }
            policies.finish();
        }
        spec.finish();
    }
    root.finish();
}

}  // namespace gputide::rightsize
