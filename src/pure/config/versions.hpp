// The releases of Kubernetes' HPA controller and of KEDA whose rules a manifest follows, and each rule that depends on one of
// them.  Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gputide::config {

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

}  // namespace gputide::config
