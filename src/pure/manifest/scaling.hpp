// The part of a manifest that a decision needs, without the part that sources need.  Member of a spec (spec.hpp); used by
// decide/. Plain values, no documents, no secrets.
#pragma once

#include "manifest/versions.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

// ---- HPA behavior (autoscaling/v2) -------------------------------------------------------------------------------
enum class policy_type : std::int32_t { pods = 0, percent = 1 };
enum class select_policy : std::int32_t { max = 0, min = 1, disabled = 2 };

struct scaling_policy {
    policy_type type = policy_type::pods;
    std::int32_t value = 0;     // pods or percent, > 0
    std::int32_t period_s = 0;  // 1..1800
};

struct scaling_rules {
    std::int32_t window_s = 0;  // stabilization window, 0..3600
    select_policy select = select_policy::max;
    std::vector<scaling_policy> policies;
    double tolerance = 0.1;  // >= 0
};

// Behavior with all defaults (hpa-algorithm.md 8.1; default_behavior).  Absent in a spec: the legacy rules without behavior.
struct behavior {
    scaling_rules up;
    scaling_rules down;
};

// ---- metrics ------------------------------------------------------------------------------------------------------
enum class target_type : std::int32_t { average_value = 0, value = 1, utilization = 2 };

// Kinds of HPA metrics.  The triggers of a ScaledObject are External, except cpu and memory. unknown: a type that the HPA
// does not know; this metric fails, the others continue (its name is the written type).
enum class metric_kind : std::int32_t {
    external = 0,
    object = 1,
    pods = 2,
    resource = 3,
    container_resource = 4,
    unknown = 5,
};

// Returns "Pods", as a manifest spells it.
constexpr std::string_view metric_kind_word(metric_kind kind) noexcept {
    constexpr std::array<std::string_view, 5> words{"External", "Object", "Pods", "Resource", "ContainerResource"};
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? words[index] : std::string_view("unknown");
}

// Returns true for kinds with one value for the whole target; the other kinds have one value per pod.
constexpr bool is_one_number(metric_kind kind) noexcept {
    return kind == metric_kind::external || kind == metric_kind::object;
}

// A metav1.LabelSelector, in the form of API queries and in the form of the HPA's texts.
struct label_selector {
    std::string query;          // sorted by key: "app=web,!canary,tier in (a,b)"; "": every object
    std::string shown = "nil";  // Go's form; "nil": no selector
};

// The members of an HPA metric that only some kinds have.
struct metric_subject {
    std::string container;           // ContainerResource
    std::string object_api_version;  // Object: describedObject; "": the core API
    std::string object_kind;
    std::string object_name;
    label_selector selector;
};

// Per-metric gputide.io/* annotations: how a decision uses the metric's sample.
enum class no_data_rule : std::int32_t { as_original = 0, hold = 1, fallback = 2, zero = 3, error = 4 };
inline constexpr std::array<std::string_view, 5> no_data_names{"as-original", "hold", "fallback", "zero", "error"};

struct metric_rules {
    no_data_rule no_data = no_data_rule::as_original;
    std::int64_t max_age_ms = 0;           // 0: no limit
    std::optional<double> scale_up_above;  // replace the target for one direction
    std::optional<double> scale_down_below;
};

// ---- KEDA --------------------------------------------------------------------------------------------------------
enum class fallback_behavior : std::int32_t {
    fixed = 0,  // "static"
    current_replicas = 1,
    current_replicas_if_higher = 2,
    current_replicas_if_lower = 3,
    scaling_modifiers = 4,
};

struct fallback {
    std::int32_t failure_threshold = 0;
    std::int32_t replicas = 0;
    fallback_behavior behavior = fallback_behavior::fixed;
};

struct scaling_modifiers {
    std::string formula;
    std::string target;             // float text
    std::string activation_target;  // float text or ""
    target_type metric_type = target_type::average_value;
};

// autoscaling.keda.sh/* annotations.
struct pause {
    bool annotated = false;                       // paused or paused-replicas is present, with any value
    bool paused = false;                          // paused, or paused-replicas present
    std::optional<std::int32_t> paused_replicas;  // the replica count to write; absent without a valid one
    bool scale_in = false;
    bool scale_out = false;
    bool force_activation = false;
};

// Settings that an administrator makes for a whole cluster: versions of KEDA and Kubernetes, and flags of
// kube-controller-manager. gputide reads them per manifest (gputide.io/hpa-version, keda-version, tolerance,
// downscale-stabilization, cpu-initialization-period, initial-readiness-delay, hpa-scale-to-zero).
struct controller_flags {
    original_versions versions;
    double tolerance = 0.1;
    std::int32_t downscale_window_s = 300;
    std::int32_t cpu_initialization_s = 300;
    std::int32_t initial_readiness_s = 30;
    std::optional<bool> scale_to_zero;  // the gate HPAScaleToZero; absent: the default of the version

    bool can_scale_to_zero() const noexcept {
        return scale_to_zero.value_or(holds(version_rule::scale_to_zero_by_default, versions));
    }
};

// Returns the defaults of the API server (kubernetes/kubernetes pkg/apis/autoscaling/v2/defaults.go):
//   up    window 0,   select Max, 4 pods or 100 percent per 15 s
//   down  window 300, select Max, 100 percent per 15 s        (300: the controller's flag)
// A tolerance that is not given is the controller's flag.
behavior default_behavior(const controller_flags& controller);

// ---- gputide.io/* annotations: rules beyond KEDA and the HPA, each off by default -----------------------------------
enum class profile : std::int32_t { standard = 0, strict = 1 };

enum class forecast_mode : std::int32_t { off = 0, observe = 1, act = 2 };
inline constexpr std::array<std::string_view, 3> forecast_mode_names{"off", "observe", "act"};

// The settings of every forecast (forecast/settings.hpp).  The min_ and max_ constants are their ranges.
struct forecast_settings {
    static constexpr double min_lead_ms = 60'000, max_lead_ms = 3'600'000;
    static constexpr double min_budget_percent = 0.1, max_budget_percent = 100;
    static constexpr double min_quantile_percent = 50, max_quantile_percent = 99;
    static constexpr double max_raise_percent_min = 10, max_raise_percent_max = 900;
    static constexpr double min_warmup_ms = 3'600'000, max_warmup_ms = 1'209'600'000;

    forecast_mode mode = forecast_mode::off;
    std::int64_t lead_ms = 300'000;              // the start-up time of a replica
    std::optional<double> budget_percent = 5.0;  // extra replica-hours, in percent of the shadow's; absent: no limit
    double quantile_percent = 90.0;              // percent of the slots in which the load is at most the upper edge
    double max_raise_percent = 200.0;            // maximum of the floor above the reactive size
    std::int64_t warmup_ms = 86'400'000;
};

// gputide.io/forecast and the related annotations.
struct forecast_rules : forecast_settings {
    static constexpr double max_history_ms = 2'419'200'000;

    std::int64_t history_ms = 0;  // past of the metric that is read at the start
    std::string metric;           // name of a trigger; "": the first one with a target
};

struct extra_rules {
    gputide::manifest::profile profile = gputide::manifest::profile::standard;
    std::int32_t sync_period_ms = 15'000;  // gputide.io/sync-period: of the HPA half
    bool in_flight_guard = false;
    bool refresh_on_partial_error = false;  // gputide.io/refresh-on-partial-error: active even if a trigger fails
    bool gradual_scale_to_zero = false;     // gputide.io/gradual-scale-to-zero: first scale down to the HPA's minimum
    std::int32_t confirm_k = 0;             // k of the last n proposals must agree; 0: off
    std::int32_t confirm_n = 0;
    std::int32_t group_size = 0;  // replicas change by whole groups; 0 or 1: off
    std::int64_t gpus_per_replica_milli = 1000;
    std::int64_t max_gpus_milli = 0;  // 0: no budget
    double cost_per_gpu_hour = 0.0;
    double max_cost_per_hour = 0.0;  // 0: no budget
    forecast_rules forecast;
};

// ---- the complete part ------------------------------------------------------------------------------------------------
enum class manifest_kind : std::int32_t { scaled_object = 0, horizontal_pod_autoscaler = 1 };

struct scaling {
    manifest_kind kind = manifest_kind::scaled_object;
    std::string name;
    std::string name_space = "default";
    std::string target_api_version = "apps/v1";
    std::string target_kind = "Deployment";
    std::string target_name;

    std::int32_t polling_interval_s = 30;
    std::int32_t cooldown_s = 300;
    std::int32_t initial_cooldown_s = 0;
    std::optional<std::int32_t> idle;
    std::optional<std::int32_t> min;  // as written
    std::int32_t max = 100;
    std::optional<std::int64_t> created_ms;  // creationTimestamp, Unix milliseconds; absent: first observation

    std::optional<gputide::manifest::behavior> behavior;
    std::optional<gputide::manifest::fallback> fallback;
    std::optional<scaling_modifiers> modifiers;
    gputide::manifest::pause pause;
    controller_flags controller;
    extra_rules extra;

    // Returns the minimum that KEDA passes to the HPA: minReplicaCount if > 0, else 1 (a HorizontalPodAutoscaler: minReplicas or 1).
    std::int32_t hpa_min() const {
        if (kind == manifest_kind::horizontal_pod_autoscaler) return min.value_or(1);
        return min.value_or(0) > 0 ? *min : 1;
    }
};

// Tells whether pollingInterval and cooldownPeriod have an effect.  If pollingInterval has none, polls of KEDA 2.21 and newer
// reuse the values that the HPA read.  Pure.

// has_cached: a trigger has useCachedMetrics.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_types.go IsPollingIntervalRelevant, IsCooldownPeriodRelevant @v2.21.0.
bool polling_interval_is_relevant(const scaling& scaling, bool has_cached);
bool cooldown_is_relevant(const scaling& scaling);

// Tells whether polls reuse the HPA's reads (UsesHPAObservations in the same file).  False before 2.21, and with sync period
// 0, where each call is a pass.
bool takes_hpa_reads(const scaling& scaling, bool has_cached);

}  // namespace gputide::manifest
