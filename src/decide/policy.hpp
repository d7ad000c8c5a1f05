// Everything about a scaler that does not change from tick to tick.  Built once from a spec; immutable and shared after.
#pragma once

#include "base/result.hpp"
#include "config/spec.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::decide {

class formula;  // formula.hpp: a compiled scalingModifiers formula

// How one metric becomes a proposal.
// unknown: a type that the HPA does not know; the metric fails and the others go on (its name is the type as written).
enum class metric_kind : std::int32_t {
    external = 0,
    object = 1,
    pods = 2,
    resource = 3,
    container_resource = 4,
    unknown = 5,
};

struct metric_policy {
    std::string name;       // as in HPA texts: "s0-prometheus"
    std::string user_name;  // triggers[].name, for formulas
    metric_kind kind = metric_kind::external;
    config::target_type type = config::target_type::average_value;
    std::int64_t target_milli = 0;
    std::int32_t utilization_pct = 0;
    std::string resource;  // "cpu", "memory" for resource kinds
    std::string container;
    std::string object_kind;
    std::string selector;
    double activation_threshold = 0.0;  // the trigger is active where its raw value is above it
    bool decides_activity = true;       // false for cpu and memory triggers
    config::trigger_rules rules;
};

struct policy {
    config::spec spec;                               // bounds, periods, behaviour, fallback, pause, extra rules
    std::vector<metric_policy> metrics;              // in manifest order; samples come in the same order
    std::shared_ptr<const decide::formula> formula;  // compiled scalingModifiers; null: none
    double composite_target = 0.0;                   // scalingModifiers.target as written
    std::int64_t composite_target_milli = 0;         // the same for the HPA, truncated
    double composite_activation = 0.0;
    bool composite_activation_invalid = false;  // strict profile only: KEDA finds a bad activationTarget at run time
    bool fallback_on = false;                   // a fallback block that can work (fallback.hpp)

    bool scale_to_zero_gate = false;  // HPAScaleToZero is on; a minimum of 0 says so too (zero.hpp)

    // Controller flags of the HPA (hpa-algorithm.md 13).
    double tolerance = 0.1;
    std::int32_t downscale_window_s = 300;
    std::int32_t cpu_initialization_s = 300;
    std::int32_t initial_readiness_s = 30;
    double legacy_up_factor = 2.0;
    double legacy_up_min = 4.0;
};

// Bug for bug as KEDA, but for crashes and leaks.
inline bool is_strict(const config::spec& spec) { return spec.extra.profile == config::profile::strict; }

// Checks what only the whole shows (metric names twice, formula against trigger names) and compiles the formula.
// `metrics` are the spec's triggers or metrics with their targets, in the same order.
result<policy> make_policy(config::spec spec, std::vector<metric_policy> metrics);

}  // namespace gputide::decide
