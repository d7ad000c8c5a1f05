#include "nodes/read/options/table.hpp"

#include "base/saturate.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::string_view a_flag = "true or false";
constexpr std::string_view a_count = "a whole number";
constexpr std::string_view a_share = "a number from 0 to 1";
constexpr std::string_view a_duration = "a duration such as 10m";

bool read_flag(std::string_view text, bool& flag) {
    const std::optional<bool> value = parse_go_bool(text);
    if (value) flag = *value;
    return value.has_value();
}
bool read_count(std::string_view text, std::int64_t& count) {
    const std::optional<std::int64_t> value = parse_int64(text);
    if (value) count = *value;
    return value.has_value();
}
bool read_number(std::string_view text, double most, double& number) {
    const std::optional<double> value = parse_json_number(text);
    if (!value || *value < 0.0 || *value > most) return false;
    number = *value;
    return true;
}
bool read_share(std::string_view text, double& share) { return read_number(text, 1.0, share); }
bool read_percent(std::string_view text, double& percent) { return read_number(text, 100.0, percent); }
bool read_duration(std::string_view text, std::int64_t& duration_ms) {
    const std::optional<std::int64_t> value = parse_go_duration_ms(text);
    if (!value || *value < 0) return false;
    duration_ms = *value;
    return true;
}

// Returns the setter of a member, or of a nested member.
template <auto Read, auto... Path>
bool set(std::string_view text, options& options) {
    return Read(text, (options.*....*Path));
}

bool set_expanders(std::string_view text, options& options) {
    std::vector<expander> chain;
    for (const std::string_view name : split(text, ',')) {
        const std::optional<expander> value = parse_expander(trim(name));
        if (!value) return false;
        chain.push_back(*value);
    }
    options.expanders = std::move(chain);
    return true;
}

bool set_order(std::string_view text, options& options) {
    if (text != "ca" && text != "gpu") return false;
    options.order = text == "ca" ? packing_order::ca : packing_order::gpu;
    return true;
}

// Parses "0:320": minimum and maximum; memory in GiB, cores as integers.
bool set_bounds(std::string_view text, std::string_view resource_name, std::int64_t unit, options& options) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() != 2) return false;
    const std::optional<std::int64_t> min = parse_int64(parts[0]);
    const std::optional<std::int64_t> max = parse_int64(parts[1]);
    if (!min || !max || *min < 0 || *max < *min) return false;
    options.bounds.push_back(
        {std::string(resource_name), multiply_saturating(*min, unit), multiply_saturating(*max, unit)});
    return true;
}

// Parses "nvidia.com/gpu:0:16".  A model instead of a resource ("nvidia-tesla-k80:0:16", as on GKE) counts NVIDIA's
// GPUs.
bool set_gpu_bounds(std::string_view text, options& options) {
    const std::size_t behind = text.find(':');
    if (behind == std::string_view::npos) return false;
    const std::string_view name = text.substr(0, behind);
    return set_bounds(text.substr(behind + 1), is_gpu(name) ? name : nvidia_gpu_name, 1, options);
}

constexpr std::array table{
    option_row{"expander", set_expanders, "names of expanders, separated by commas",
               "which pool grows: a chain of filters"},
    option_row{"order", set_order, "ca or gpu",
               "how pods are packed: gpu puts the largest part of a node's GPUs first"},
    option_row{"strict", set<read_flag, &options::strict>, a_flag,
               "as cluster-autoscaler in all: MIG slices make no node ready, order ca"},
    option_row{"max-passes", set<read_count, &options::max_passes>, a_count,
               "options that one plan may choose; 1: as cluster-autoscaler"},
    option_row{"all-or-nothing", set<read_flag, &options::all_or_nothing>, a_flag,
               "grow only where every pod is helped"},
    option_row{"wait-for-new-pods", set<read_flag, &options::wait_for_new_pods>, a_flag,
               "hold back for pods younger than 2 s, or 30 s with a GPU"},
    option_row{"busy-gpu-percent",
               [](std::string_view text, options& options) {
                   double value = 0.0;
                   if (!read_percent(text, value)) return false;
                   options.eligibility.busy_gpu_percent = value;
                   return true;
               },
               "a number from 0 to 100", "a node whose GPUs were measured above this stays"},
    option_row{"balance-similar-node-groups", set<read_flag, &options::balance_similar>, a_flag,
               "share new nodes among similar pools"},
    option_row{"balancing-ignore-label",
               [](std::string_view text, options& options) {
                   options.similarity.ignored_labels.emplace_back(text);
                   return true;
               },
               "a label", "does not count when pools are compared"},
    option_row{"max-nodes-total", set<read_count, &options::max_nodes_total>, a_count,
               "of the whole cluster; 0: no limit"},
    option_row{"max-nodes-per-scaleup", set<read_count, &options::max_nodes_per_scale_up>, a_count, "of one option"},
    option_row{"cores-total",
               [](std::string_view text, options& options) { return set_bounds(text, cpu_name, 1000, options); },
               "MIN:MAX", "cores of the whole cluster"},
    option_row{
        "memory-total",
        [](std::string_view text, options& options) { return set_bounds(text, memory_name, 1LL << 30, options); },
        "MIN:MAX", "GiB of the whole cluster"},
    option_row{"gpu-total", set_gpu_bounds, "RESOURCE:MIN:MAX", "GPUs of the whole cluster"},
    option_row{"expendable-pods-priority-cutoff",
               [](std::string_view text, options& options) {
                   std::int64_t value = 0;
                   if (!read_count(text, value) || value < INT32_MIN || value > INT32_MAX) return false;
                   options.priority_cutoff = static_cast<std::int32_t>(value);
                   return true;
               },
               a_count, "pods below this priority ask for no node"},
    option_row{"new-pod-scale-up-delay", set<read_duration, &options::new_pod_delay_ms>, a_duration,
               "a younger pod asks for no node yet"},
    option_row{"ok-total-unready-count", set<read_count, &options::health, &health_limits::ok_unready>, a_count,
               "so many unready nodes are never too many"},
    option_row{"max-total-unready-percentage", set<read_percent, &options::health, &health_limits::max_unready_percent>,
               "a number from 0 to 100", "with more unready nodes nothing is done"},
    option_row{"initial-node-group-backoff-duration", set<read_duration, &options::backoff, &backoff_rules::initial_ms>,
               a_duration, "how long a pool that failed is left alone at first"},
    option_row{"max-node-group-backoff-duration", set<read_duration, &options::backoff, &backoff_rules::max_ms>,
               a_duration, "and at most, doubled from failure to failure"},
    option_row{"node-group-backoff-reset-timeout", set<read_duration, &options::backoff, &backoff_rules::reset_ms>,
               a_duration, "after this a failure is forgotten"},
    option_row{"max-node-startup-time", set<read_duration, &options::startup_ms>, a_duration,
               "until then a node that is not ready is starting"},
    option_row{"max-node-provision-time", set<read_duration, &options::provision_ms>, a_duration,
               "until then its nodes have to be there"},
    option_row{"memory-difference-ratio", set<read_share, &options::similarity, &similarity::memory_difference_ratio>,
               a_share, "of similar pools"},
    option_row{"max-allocatable-difference-ratio",
               set<read_share, &options::similarity, &similarity::allocatable_difference_ratio>, a_share,
               "of similar pools"},
    option_row{"max-free-difference-ratio", set<read_share, &options::similarity, &similarity::free_difference_ratio>,
               a_share, "of similar pools"},
    option_row{"scale-down-enabled", set<read_flag, &options::scale_down>, a_flag, "whether nodes may go at all"},
    option_row{"scale-down-unneeded-time", set<read_duration, &options::timing, &timing_rules::unneeded_ms>, a_duration,
               "how long a node has to be unneeded"},
    option_row{"scale-down-unready-time", set<read_duration, &options::timing, &timing_rules::unready_ms>, a_duration,
               "the same for one that is not ready"},
    option_row{"scale-down-unready-enabled", set<read_flag, &options::eligibility, &eligibility_rules::unready_enabled>,
               a_flag, "whether unready nodes may go"},
    option_row{"scale-down-utilization-threshold",
               set<read_share, &options::eligibility, &eligibility_rules::threshold>, a_share,
               "above it a node without GPUs stays"},
    option_row{"scale-down-gpu-utilization-threshold",
               set<read_share, &options::eligibility, &eligibility_rules::gpu_threshold>, a_share,
               "above it a node with GPUs stays"},
    option_row{
        "ignore-daemonsets-utilization",
        set<read_flag, &options::eligibility, &eligibility_rules::counted, &utilization_rules::ignore_daemon_sets>,
        a_flag, "DaemonSets' pods do not count as use"},
    option_row{
        "ignore-mirror-pods-utilization",
        set<read_flag, &options::eligibility, &eligibility_rules::counted, &utilization_rules::ignore_mirror_pods>,
        a_flag, "mirror pods do not count as use"},
    option_row{"scale-down-delay-after-add", set<read_duration, &options::pauses, &pause_rules::after_add_ms>,
               a_duration, "nothing goes so long after nodes came"},
    option_row{"scale-down-delay-after-failure", set<read_duration, &options::pauses, &pause_rules::after_failure_ms>,
               a_duration, "nor after a removal failed"},
    option_row{"scale-down-delay-after-delete", set<read_duration, &options::pauses, &pause_rules::after_delete_ms>,
               a_duration, "nor after a node went"},
    option_row{"max-scale-down-parallelism", set<read_count, &options::parallelism, &parallelism::total>, a_count,
               "nodes that go at once"},
    option_row{"max-empty-bulk-delete", set<read_count, &options::parallelism, &parallelism::total>, a_count,
               "AKS' word for the same"},
    option_row{"max-drain-parallelism", set<read_count, &options::parallelism, &parallelism::drain>, a_count,
               "of those, nodes with pods to move"},
    option_row{"skip-nodes-with-local-storage", set<read_flag, &options::drain, &drain_rules::skip_local_storage>,
               a_flag, "a pod with local storage keeps its node"},
    option_row{"skip-nodes-with-system-pods", set<read_flag, &options::drain, &drain_rules::skip_system_pods>, a_flag,
               "a kube-system pod without a budget keeps its node"},
    option_row{"skip-nodes-with-custom-controller-pods",
               set<read_flag, &options::drain, &drain_rules::skip_custom_controller_pods>, a_flag,
               "a pod of another controller keeps its node"},
    option_row{"min-replica-count", set<read_count, &options::drain, &drain_rules::min_replica_count>, a_count,
               "a pod of a smaller controller keeps its node"},
    option_row{"unremovable-node-recheck-timeout", set<read_duration, &options::recheck_ms>, a_duration,
               "a node that could not go is not looked at again before"},
    option_row{"scale-down-non-empty-candidates-count", set<read_count, &options::max_drain_candidates>, a_count,
               "nodes with pods to move that one plan looks at"},
};

// kubernetes/autoscaler cluster-autoscaler/config/flags/flags.go
constexpr std::array<std::string_view, 40> without_meaning{"address",
                                                           "aws-use-static-instance-list",
                                                           "blocking-system-pod-distruption-timeout",
                                                           "bulk-mig-instances-listing-enabled",
                                                           "cloud-config",
                                                           "cloud-provider",
                                                           "cluster-name",
                                                           "cordon-node-before-terminating",
                                                           "daemonset-eviction-for-empty-nodes",
                                                           "daemonset-eviction-for-occupied-nodes",
                                                           "debugging-snapshot-enabled",
                                                           "emit-per-nodegroup-metrics",
                                                           "enable-provisioning-requests",
                                                           "fastpath-binpacking-enabled",
                                                           "force-ds",
                                                           "kube-api-content-type",
                                                           "kube-client-burst",
                                                           "kube-client-qps",
                                                           "kubeconfig",
                                                           "leader-elect",
                                                           "log-file",
                                                           "logtostderr",
                                                           "max-bulk-soft-taint-count",
                                                           "max-bulk-soft-taint-time",
                                                           "max-failing-time",
                                                           "max-graceful-termination-sec",
                                                           "max-inactivity",
                                                           "max-nodegroup-binpacking-duration",
                                                           "max-pod-eviction-time",
                                                           "namespace",
                                                           "node-delete-delay-after-taint",
                                                           "node-deletion-batcher-interval",
                                                           "parallel-scale-up",
                                                           "profiling",
                                                           "salvo-scale-up",
                                                           "scan-interval",
                                                           "status-config-map-name",
                                                           "stderrthreshold",
                                                           "v",
                                                           "write-status-configmap"};

}  // namespace

std::span<const option_row> option_table() { return table; }

// Recognizes --leader-elect-lease-duration and similar flags.
bool is_without_meaning(std::string_view name) {
    return name.starts_with("leader-elect-") ||
           std::find(without_meaning.begin(), without_meaning.end(), name) != without_meaning.end();
}

}  // namespace gputide::nodes
