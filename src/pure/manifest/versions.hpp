// The versions of Kubernetes' HPA controller and of KEDA that a manifest follows, the rules that depend on them, and the
// names of releases.  Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

enum class original : std::int32_t { kubernetes = 0, keda = 1 };

// Minor versions: 37 means Kubernetes 1.37, 21 means KEDA 2.21.  The defaults are the newest releases.
struct original_versions {
    static constexpr std::int32_t newest_kubernetes = 37, newest_keda = 21;

    std::int32_t kubernetes = newest_kubernetes;
    std::int32_t keda = newest_keda;
};

// The versions that a setting accepts.
struct version_range {
    std::string_view major;  // with the dot: "1."
    std::int32_t first = 0;
    std::int32_t last = 0;
};
version_range known_versions(original which);

// Parses "1.35" to 35; returns nothing for an unknown version.
std::optional<std::int32_t> read_version(original which, std::string_view text);

enum class version_rule : std::int32_t {
    leaves_own_zero_only = 0,      // at 0 replicas the condition ScaledToZero decides, not only the minimum
    tolerance_of_behavior = 1,     // behavior.scaleUp.tolerance and scaleDown.tolerance are read
    scale_to_zero_by_default = 2,  // the gate HPAScaleToZero is on by default
    names_metrics_object = 3,      // the error of an Object metric reads "unable to get metric M on KIND NS/NAME: ERR"
    ignores_succeeded_pods = 4,    // metrics ignore pods in phase Succeeded
    refused_write_is_error = 5,    // a failed write of KEDA's poll makes Ready False
    sends_oauth = 6,               // prometheus: authModes oauth requests a token and sends it
    refuses_unsent_modes = 7,      // metrics-api: authModes custom and oauth, which are never sent, are an error
    reads_metric_interval = 8,     // azure-monitor: metricInterval is read
    poll_takes_hpa_reads = 9,      // KEDA's poll uses the reads of the HPA's pass if pollingInterval is not relevant
    refused_jobs_are_told = 10,    // a refused Job makes a ScaledJob not Ready, and its event counts the created Jobs
    looks_at_new_spec = 11,        // a new HPA and a changed spec are processed immediately, not a sync period later
    counts_pod_requests = 12,  // cpu and memory triggers also count requests of the pod, not only those of a container
    interval_follows_idle = 13,  // any idleReplicaCount makes pollingInterval and cooldownPeriod relevant, not only 0
    reads_target_stream = 14,    // external-push: the stream StreamMetricSpec changes targets
};

struct version_rule_row {
    version_rule rule;
    original which;
    std::int32_t since;  // the first minor version that has it
    std::string_view source;
};
std::span<const version_rule_row> version_rules();

// Tells whether the rule applies in these versions.
bool holds(version_rule rule, const original_versions& versions) noexcept;

// Release names of Kubernetes and KEDA as programs report them, and the versions with the same rules.  Pure.

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

// Formats 35 as "1.35".
std::string version_text(original which, std::int32_t minor);

// Returns "1.18 to 1.38".
std::string known_versions_text(original which);

struct nearest_version {
    std::int32_t minor = 0;
    bool is_known = true;  // false: the release is older or newer than all known versions
};
// Returns the known version nearest to a reported release: "v1.37.2", "2.21.0", "v1.33.1-eks-7f9249a".  Returns nothing for a
// text that names no release, such as "main", and for v0.0.0-master, which a build without a version reports.
std::optional<nearest_version> nearest_known_version(original which, std::string_view release);

struct other_version {
    original which = original::kubernetes;  // the one that differs
    original_versions versions;
};
// Returns the versions to decide with in addition to `used`, to test whether a release explains a difference.  For KEDA and
// for Kubernetes: the version in `found` if its rules differ; else the newest earlier version with other rules, or without
// one the first later version.
std::vector<other_version> versions_to_compare(const original_versions& used, const original_versions& found);

}  // namespace gputide::manifest
