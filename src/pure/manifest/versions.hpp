// The releases of Kubernetes' HPA controller and of KEDA that a manifest follows, the rules that depend on a release, and
// the names of releases.  Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

enum class original : std::int32_t { kubernetes = 0, keda = 1 };

// Minor versions: 37 stands for Kubernetes 1.37, 21 for KEDA 2.21.  The defaults are the newest releases.
struct original_versions {
    static constexpr std::int32_t newest_kubernetes = 37, newest_keda = 21;

    std::int32_t kubernetes = newest_kubernetes;
    std::int32_t keda = newest_keda;
};

// The versions that a setting may name.
struct version_range {
    std::string_view major;  // with its point: "1."
    std::int32_t first = 0;
    std::int32_t last = 0;
};
version_range known_versions(original which);

// "1.35" as 35; nothing for a version that is not known.
std::optional<std::int32_t> read_version(original which, std::string_view text);

enum class version_rule : std::int32_t {
    leaves_own_zero_only = 0,      // at 0 replicas the condition ScaledToZero decides, not the minimum alone
    tolerance_of_behavior = 1,     // behavior.scaleUp.tolerance and scaleDown.tolerance are read
    scale_to_zero_by_default = 2,  // the gate HPAScaleToZero is on where it is not set
    names_metrics_object = 3,      // the error of an Object metric reads "unable to get metric M on KIND NS/NAME: ERR"
    ignores_succeeded_pods = 4,    // pods in phase Succeeded take part in no metric
    refused_write_is_error = 5,    // a write that KEDA's poll cannot do makes Ready False
    sends_oauth = 6,               // prometheus: authModes oauth gets a token and sends it
    refuses_unsent_modes = 7,      // metrics-api: authModes custom and oauth, which are never sent, are an error
    reads_metric_interval = 8,     // azure-monitor: metricInterval is read
    poll_takes_hpa_reads = 9,      // KEDA's poll takes what the HPA's pass read, where pollingInterval is not relevant
    refused_jobs_are_told = 10,    // a refused Job makes a ScaledJob not Ready, and its event counts the created Jobs
    looks_at_new_spec = 11,        // a new HPA and a changed spec of one are looked at at once, not a sync period later
    counts_pod_requests = 12,      // a request of the pod counts for a cpu or memory trigger, not a container's alone
    interval_follows_idle = 13,  // any idleReplicaCount makes pollingInterval and cooldownPeriod relevant, not 0 alone
    reads_target_stream = 14,    // external-push: the stream StreamMetricSpec changes targets
};

struct version_rule_row {
    version_rule rule;
    original which;
    std::int32_t since;  // the first minor version that has it
    std::string_view source;
};
std::span<const version_rule_row> version_rules();

// Returns whether the rule holds in these versions.
bool holds(version_rule rule, const original_versions& versions) noexcept;

// Releases of Kubernetes and KEDA as programs name them, and the version with the same rules.  Pure.

inline constexpr std::int32_t original_versions::*version_member(original which) noexcept {
    return which == original::kubernetes ? &original_versions::kubernetes : &original_versions::keda;
}
inline constexpr std::int32_t version_of(const original_versions& versions, original which) noexcept {
    return versions.*version_member(which);
}
inline constexpr bool operator==(const original_versions& a, const original_versions& b) noexcept {
    return a.kubernetes == b.kubernetes && a.keda == b.keda;
}

const char* original_name(original which) noexcept;  // "Kubernetes", "KEDA"

// 35 as "1.35".
std::string version_text(original which, std::int32_t minor);

// "1.18 to 1.38".
std::string known_versions_text(original which);

struct nearest_version {
    std::int32_t minor = 0;
    bool is_known = true;  // false: the release is older or newer than all that are known
};
// Returns the known version nearest to a release as a program names it: "v1.37.2", "2.21.0", "v1.33.1-eks-7f9249a".  Nothing for a
// text that names no release, such as "main", and for v0.0.0-master, as a build without a version calls itself.
std::optional<nearest_version> nearest_known_version(original which, std::string_view release);

struct other_version {
    original which = original::kubernetes;  // the one that differs
    original_versions versions;
};
// Returns by which versions to decide beside `used`, to tell whether a release explains a difference.  Of each original: what was
// found, where that has other rules; else the newest release before with other rules, or where none is before, the first one after.
std::vector<other_version> versions_to_compare(const original_versions& used, const original_versions& found);

}  // namespace gputide::manifest
