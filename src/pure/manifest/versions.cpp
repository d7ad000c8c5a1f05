#include "manifest/versions.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::manifest {

namespace {

// In the order of version_rule.
constexpr std::array rule_rows{
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
    version_rule_row{version_rule::reads_target_stream, original::keda, 21,
                     "kedacore/keda pull 7793: external_scaler.go runStreamMetricSpec"},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < rule_rows.size(); ++i) {
        if (static_cast<std::size_t>(rule_rows[i].rule) != i) return false;
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
    for (std::int32_t minor = range.first; minor <= range.last; ++minor) {
        if (version_text(which, minor) == text) return minor;
    }
    return std::nullopt;
}

std::span<const version_rule_row> version_rules() { return rule_rows; }

bool holds(version_rule rule, const original_versions& versions) noexcept {
    const version_rule_row& row = rule_rows[static_cast<std::size_t>(rule)];
    return (row.which == original::kubernetes ? versions.kubernetes : versions.keda) >= row.since;
}

namespace {

// Removes and returns the digits at the start of the text, at most nine; returns nothing for none or more digits.
std::optional<std::int32_t> take_digits(std::string_view& text) {
    constexpr std::size_t max_digits = 9;
    std::size_t count = 0;
    std::int32_t out = 0;
    for (; count < text.size() && is_digit(text[count]); ++count) {
        if (count == max_digits) return std::nullopt;
        out = out * 10 + (text[count] - '0');
    }
    text.remove_prefix(count);
    if (count == 0) return std::nullopt;
    return out;
}

bool is_in_release(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '+' || c == '_'; }

bool has_same_rules(const original_versions& a, const original_versions& b) {
    return std::ranges::all_of(rule_rows,
                               [&](const version_rule_row& row) { return holds(row.rule, a) == holds(row.rule, b); });
}

// Searches from `from` in steps of `step` for the first version with other rules; nothing if no known version has them.
std::optional<original_versions> next_with_other_rules(original which, const original_versions& from, int step) {
    const version_range range = known_versions(which);
    original_versions out = from;
    std::int32_t& minor = out.*version_member(which);
    for (minor += step; minor >= range.first && minor <= range.last; minor += step) {
        if (!has_same_rules(out, from)) return out;
    }
    return std::nullopt;
}

}  // namespace

const char* original_name(original which) noexcept { return which == original::kubernetes ? "Kubernetes" : "KEDA"; }

std::string version_text(original which, std::int32_t minor) {
    return format_text("{}{}", known_versions(which).major, minor);
}

std::string known_versions_text(original which) {
    const version_range known = known_versions(which);
    return format_text("{} to {}", version_text(which, known.first), version_text(which, known.last));
}

std::optional<nearest_version> nearest_known_version(original which, std::string_view release) {
    constexpr std::size_t max_bytes = 128;  // of an image's tag; the text is shown
    if (release.size() > max_bytes || !std::ranges::all_of(release, is_in_release)) return std::nullopt;
    if (release.substr(0, 1) == "v") release.remove_prefix(1);
    const std::optional<std::int32_t> major = take_digits(release);
    if (!major || *major == 0 || release.substr(0, 1) != ".") return std::nullopt;
    release.remove_prefix(1);
    const std::optional<std::int32_t> minor = take_digits(release);
    const bool has_end = release.empty() || release.front() == '.' || release.front() == '-' || release.front() == '+';
    if (!minor || !has_end) return std::nullopt;
    const version_range range = known_versions(which);
    const std::int32_t own_major = range.major.front() - '0';
    const std::pair wanted(*major, *minor);
    if (wanted < std::pair(own_major, range.first)) return nearest_version{range.first, false};
    if (wanted > std::pair(own_major, range.last)) return nearest_version{range.last, false};
    return nearest_version{*minor, true};
}

std::vector<other_version> versions_to_compare(const original_versions& used, const original_versions& found) {
    std::vector<other_version> out;
    for (const original which : {original::kubernetes, original::keda}) {
        original_versions other = used;
        other.*version_member(which) = version_of(found, which);
        if (has_same_rules(other, used)) {
            std::optional<original_versions> next = next_with_other_rules(which, used, -1);
            if (!next) next = next_with_other_rules(which, used, 1);
            if (!next) continue;
            other = *next;
        }
        out.push_back({which, other});
    }
    return out;
}

}  // namespace gputide::manifest
