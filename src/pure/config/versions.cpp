#include "config/versions.hpp"

#include "base/text.hpp"

#include <array>

namespace gputide::config {
namespace {

// In the order of version_rule.
constexpr std::array rules{
    version_rule_row{version_rule::leaves_own_zero_only, original::kubernetes, 36,
                     "kubernetes/kubernetes pull 135118: horizontal.go shouldComputeMetricsForZeroReplicas"},
    version_rule_row{version_rule::tolerance_of_behavior, original::kubernetes, 35,
                     "pkg/features/kube_features.go HPAConfigurableTolerance: on by default since 1.35"},
    version_rule_row{version_rule::scale_to_zero_by_default, original::kubernetes, 37,
                     "pkg/features/kube_features.go HPAScaleToZero: on by default since 1.37"},
    version_rule_row{version_rule::names_metrics_object, original::kubernetes, 37,
                     "replica_calculator.go GetObjectMetricReplicas: its arguments were in the wrong order before"},
    version_rule_row{version_rule::ignores_succeeded_pods, original::kubernetes, 38,
                     "kubernetes/kubernetes pull 141302: replica_calculator.go groupPods"},
    version_rule_row{version_rule::refused_write_is_error, original::keda, 21,
                     "kedacore/keda pull 8174: scale_scaledobjects.go RequestScale"},
    version_rule_row{version_rule::sends_oauth, original::keda, 21,
                     "kedacore/keda pull 8064: prometheus_scaler.go NewPrometheusScaler"},
    version_rule_row{version_rule::refuses_unsent_modes, original::keda, 21,
                     "kedacore/keda pull 8178: metrics_api_scaler.go Validate"},
    version_rule_row{version_rule::reads_metric_interval, original::keda, 21,
                     "kedacore/keda pkg/scalers/azure_monitor_scaler.go @v2.21.0"},
    version_rule_row{version_rule::poll_takes_hpa_reads, original::keda, 21,
                     "kedacore/keda pull 8031: scaledobject_types.go UsesHPAObservations"},
    version_rule_row{version_rule::refused_jobs_are_told, original::keda, 21,
                     "kedacore/keda pull 8174: scale_jobs.go createJobs"},
    version_rule_row{version_rule::looks_at_new_spec, original::kubernetes, 37,
                     "kubernetes/kubernetes pull 138294: horizontal.go enqueueHPA"},
    version_rule_row{version_rule::counts_pod_requests, original::keda, 21,
                     "scaledobject_webhook.go verifyCPUMemoryScalers"},
    version_rule_row{version_rule::interval_follows_idle, original::keda, 21,
                     "kedacore/keda pull 7984: scaledobject_types.go IsPollingIntervalRelevant"},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (static_cast<std::size_t>(rules[i].rule) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

}  // namespace

version_range known_versions(original which) {
    return which == original::kubernetes ? version_range{"1.", 18, 38} : version_range{"2.", 20, 21};
}

std::optional<std::int32_t> read_version(original which, std::string_view text) {
    const version_range range = known_versions(which);
    if (text.substr(0, range.major.size()) != range.major) return std::nullopt;
    const std::string_view minor = text.substr(range.major.size());
    constexpr std::size_t max_digits = 3;
    if (minor.empty() || minor.size() > max_digits || minor.front() == '0') return std::nullopt;
    std::int32_t out = 0;
    for (const char digit : minor) {
        if (!is_digit(digit)) return std::nullopt;
        out = out * 10 + (digit - '0');
    }
    if (out < range.first || out > range.last) return std::nullopt;
    return out;
}

std::span<const version_rule_row> version_rules() { return rules; }

bool holds(version_rule rule, const original_versions& versions) noexcept {
    const version_rule_row& row = rules[static_cast<std::size_t>(rule)];
    return (row.which == original::kubernetes ? versions.kubernetes : versions.keda) >= row.since;
}

}  // namespace gputide::config
