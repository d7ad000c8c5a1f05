// The data of a scaler that does not change from tick to tick.  Built once; immutable and shared afterwards.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "forecast/settings.hpp"
#include "manifest/scaling.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gputide::decide {

struct policy;

// Two checksums of a policy's spec, by which a state detects a changed manifest.
struct spec_sums {
    // Checksum of the HorizontalPodAutoscaler's spec, or the one that KEDA generates for a ScaledObject: target, metrics with
    // their targets, max(1, minimum), maximum, behavior.  Includes the creation time: an object that is created again is
    // another object.
    std::uint32_t hpa = 0;
    std::uint32_t whole = 0;  // also of everything else that affects decisions: periods, cooldowns, fallback, queries

    bool operator==(const spec_sums&) const = default;
};

// Computes both sums, which are never 0; 0 means unknown.
spec_sums spec_sums_of(const policy& policy);

// The forecast metric of a policy, and the settings of the forecast: gputide.io/forecast and related annotations.
struct forecast_rule {
    forecast::settings settings;
    std::int32_t metric = 0;    // index into policy.metrics, or composite_metric
    double target = 1.0;        // load that one replica takes
    std::uint32_t subject = 0;  // checksum of the metric's name, kind and query; a forecast restarts if it changes
};

// Returns null if gputide.io/forecast is off.  Fails if gputide.io/forecast-metric names a metric that cannot be forecast, or
// if no metric has a target.
result<std::shared_ptr<const forecast_rule>> make_forecast_rule(const policy& policy);

class formula;  // formula.hpp: a compiled scalingModifiers formula

using manifest::is_one_number;
using manifest::metric_kind;

// The rules of one metric for its proposal.
struct metric_policy {
    std::string name;       // as in texts of the HPA: "s0-prometheus"; of a resource: "cpu", "memory"
    std::string user_name;  // triggers[].name, for formulas
    metric_kind kind = metric_kind::external;
    manifest::target_type type = manifest::target_type::average_value;
    std::int64_t target_milli = 0;
    std::int32_t utilization_pct = 0;
    std::shared_ptr<const manifest::metric_subject> subject;  // null: the defaults
    double activation_threshold = 0.0;                        // the trigger is active if its raw value is above this
    bool decides_activity = true;                             // false for cpu and memory triggers
    bool use_cached = false;  // useCachedMetrics: the HPA half uses the executor half's last read
    manifest::metric_rules rules;
    std::uint32_t query_sum = 0;  // checksum of the source's query; 0: unknown

    // Returns the name in texts: the trigger's own name, else the metric's.
    const std::string& label() const noexcept { return user_name.empty() ? name : user_name; }

    // Returns the subject, or the defaults.
    const manifest::metric_subject& about() const noexcept;
    bool is_resource() const noexcept {
        return kind == metric_kind::resource || kind == metric_kind::container_resource;
    }

    // Returns the target in the sample's unit: percent for Utilization, else as written.
    double target() const noexcept { return target_in(target_milli); }
    double target_in(std::int64_t milli) const noexcept {
        return type == manifest::target_type::utilization ? utilization_pct : static_cast<double>(milli) / 1000.0;
    }

    // Returns the target that the peer reports, else the manifest's.
    std::int64_t target_milli_for(const sample& read) const noexcept {
        return read.target_milli != 0 ? read.target_milli : target_milli;
    }
};

struct policy {
    manifest::scaling scaling;                       // bounds, periods, behavior, fallback, pause, extra rules
    std::vector<metric_policy> metrics;              // in manifest order; samples come in the same order
    std::shared_ptr<const decide::formula> formula;  // compiled scalingModifiers; null: none
    double composite_target = 0.0;                   // scalingModifiers.target as written
    std::int64_t composite_target_milli = 0;         // composite_target for the HPA, truncated
    double composite_activation = 0.0;
    bool composite_activation_invalid = false;  // strict profile only: KEDA reports a bad activationTarget at run time
    bool fallback_on = false;                   // the fallback block is valid (fallback.hpp)
    bool takes_hpa_reads = false;               // KEDA's poll uses the reads of the HPA's pass (manifest/scaling.hpp)
    spec_sums spec;                             // 0: unknown
    std::shared_ptr<const forecast_rule> forecast;  // gputide.io/forecast; null: off

    // Without behavior, one pass scales up to at most max(factor * current, min) (hpa/behavior.hpp); constants upstream.
    double legacy_up_factor = 2.0;
    double legacy_up_min = 4.0;
};

// Tells whether the policy has the strict profile: decisions equal KEDA's, bugs included, except crashes and leaks.
inline bool is_strict(const manifest::scaling& scaling) { return scaling.extra.profile == manifest::profile::strict; }

// Return or append one form of the selector by which the HPA reads a metric.  KEDA serves all metrics of a ScaledObject by one
// selector.
void append_selector(std::string& out, const policy& policy, const metric_policy& metric,
                     std::string manifest::label_selector::*form);
std::string selector_of(const policy& policy, const metric_policy& metric, std::string manifest::label_selector::*form);

// Checks the whole policy (duplicate metric names, the formula against trigger names) and compiles the formula.
// `metrics`: the manifest's triggers or metrics with their targets, in its order.
result<policy> make_policy(manifest::scaling scaling, std::vector<metric_policy> metrics);

}  // namespace gputide::decide
