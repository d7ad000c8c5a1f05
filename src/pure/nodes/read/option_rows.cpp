// The options of a plan, one row each.
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "nodes/expander.hpp"
#include "nodes/read/objects.hpp"
#include "text/setting.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr double any = 9.2e18;
constexpr text::value_rule a_flag = text::a_flag;
constexpr text::value_rule a_count = text::a_whole(-any, any, "a whole number");
constexpr text::value_rule a_share = text::a_number(0, 1);
constexpr text::value_rule a_percent = text::a_number(0, 100);
constexpr text::value_rule a_duration = text::a_duration(0, any, "a duration such as 10m");
constexpr std::array<std::string_view, 3> order_names{"ca", "gpu", "largest"};  // in the order of packing_order

bool read_expanders(std::string_view text, options& options) {
    std::vector<expander> chain;
    for (const std::string_view name : split(text, ',')) {
        const std::optional<expander> value = parse_expander(trim(name));
        if (!value) return false;
        chain.push_back(*value);
    }
    options.expanders = std::move(chain);
    return true;
}

// Parses "0:320": minimum and maximum; memory in GiB, cores as integers.
bool read_bounds(std::string_view text, std::string_view resource_name, std::int64_t unit, options& options) {
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
bool read_gpus(std::string_view text, options& options) {
    const std::size_t behind = text.find(':');
    if (behind == std::string_view::npos) return false;
    const std::string_view name = text.substr(0, behind);
    return read_bounds(text.substr(behind + 1), is_gpu(name) ? name : nvidia_gpu_name, 1, options);
}

bool read_cores(std::string_view text, options& options) { return read_bounds(text, cpu_name, 1000, options); }
bool read_memory(std::string_view text, options& options) { return read_bounds(text, memory_name, 1LL << 30, options); }

template <auto... Path>
constexpr auto to = text::fill_member<options, Path...>;

constexpr std::array rows{
    option_row{"expander", text::a_text("names of expanders, separated by commas"),
               text::fill_by<options, read_expanders>, "least-waste", "which pool grows: a chain of filters"},
    option_row{
        "order", text::a_choice(order_names), to<&options::order>, "the best of all",
        "how pods are packed: ca as cluster-autoscaler, gpu with the largest part of a node's GPUs first, largest with "
        "the largest part of anything first"},
    option_row{"strict", a_flag, to<&options::strict>, "false",
               "exactly as cluster-autoscaler: MIG slices do not make a node ready, order ca"},
    option_row{"max-passes", a_count, to<&options::max_passes>, "100",
               "options that one plan may choose; 1: as cluster-autoscaler"},
    option_row{"all-or-nothing", a_flag, to<&options::all_or_nothing>, "false", "grow only if every pod gets a place"},
    option_row{"wait-for-new-pods", a_flag, to<&options::wait_for_new_pods>, "true",
               "wait while pods are younger than 2 s, or 30 s with a GPU"},
    option_row{"busy-gpu-percent", a_percent, to<&options::busy_gpu_percent>, "not checked",
               "a node with GPUs measured above this stays"},
    option_row{"balance-similar-node-groups", a_flag, to<&options::balance_similar>, "false",
               "share new nodes among similar pools"},
    option_row{"balancing-ignore-label", text::a_text("a label"), to<&options::ignored_labels>, "none",
               "does not count when pools are compared"},
    option_row{"max-nodes-total", a_count, to<&options::max_nodes_total>, "0", "of the whole cluster; 0: no limit"},
    option_row{"max-nodes-per-scaleup", a_count, to<&options::max_nodes_per_scale_up>, "1000", "of one option"},
    option_row{"cores-total", text::a_text("MIN:MAX"), text::fill_by<options, read_cores>, "",
               "cores of the whole cluster"},
    option_row{"memory-total", text::a_text("MIN:MAX"), text::fill_by<options, read_memory>, "",
               "GiB of the whole cluster"},
    option_row{"gpu-total", text::a_text("RESOURCE:MIN:MAX"), text::fill_by<options, read_gpus>, "",
               "GPUs of the whole cluster"},
    option_row{"expendable-pods-priority-cutoff", text::a_whole(INT32_MIN, INT32_MAX, "a whole number"),
               to<&options::priority_cutoff>, "-10", "pods below this priority do not request a node"},
    option_row{"new-pod-scale-up-delay", a_duration, to<&options::new_pod_delay_ms>, "0s",
               "a younger pod does not request a node yet"},
    option_row{"ok-total-unready-count", a_count, to<&options::ok_unready>, "3",
               "this many unready nodes are always accepted"},
    option_row{"max-total-unready-percentage", a_percent, to<&options::max_unready_percent>, "45",
               "with more unready nodes no node is added or removed"},
    option_row{"initial-node-group-backoff-duration", a_duration, to<&options::backoff_initial_ms>, "5m",
               "how long a failed pool is not used, after its first failure"},
    option_row{"max-node-group-backoff-duration", a_duration, to<&options::backoff_max_ms>, "30m",
               "its maximum; each failure doubles it"},
    option_row{"node-group-backoff-reset-timeout", a_duration, to<&options::backoff_reset_ms>, "3h",
               "after this time a failure no longer counts"},
    option_row{"max-node-startup-time", a_duration, to<&options::startup_ms>, "15m",
               "until then a node that is not ready counts as starting"},
    option_row{"max-node-provision-time", a_duration, to<&options::provision_ms>, "15m",
               "until then requested nodes must have appeared"},
    option_row{"memory-difference-ratio", a_share, to<&options::memory_difference_ratio>, "0.015", "of similar pools"},
    option_row{"max-allocatable-difference-ratio", a_share, to<&options::allocatable_difference_ratio>, "0.05",
               "of similar pools"},
    option_row{"max-free-difference-ratio", a_share, to<&options::free_difference_ratio>, "0.05", "of similar pools"},
    option_row{"defragment", a_flag, to<&options::defragment>, "false",
               "plans as if the moves that free nodes were made, in place of new nodes"},
    option_row{"scale-down-enabled", a_flag, to<&options::scale_down>, "true", "whether nodes may be removed"},
    option_row{"scale-down-unneeded-time", a_duration, to<&options::unneeded_ms>, "10m",
               "how long a node must be unneeded before it is removed"},
    option_row{"scale-down-unready-time", a_duration, to<&options::unready_ms>, "20m",
               "the same for a node that is not ready"},
    option_row{"scale-down-unready-enabled", a_flag, to<&options::unready_enabled>, "true",
               "whether unready nodes may be removed"},
    option_row{"scale-down-utilization-threshold", a_share, to<&options::utilization_threshold>, "0.5",
               "above it a node without GPUs stays"},
    option_row{"scale-down-gpu-utilization-threshold", a_share, to<&options::gpu_utilization_threshold>, "0.5",
               "above it a node with GPUs stays"},
    option_row{"ignore-daemonsets-utilization", a_flag, to<&options::ignore_daemon_sets>, "false",
               "DaemonSets' pods do not count as use"},
    option_row{"ignore-mirror-pods-utilization", a_flag, to<&options::ignore_mirror_pods>, "false",
               "mirror pods do not count as use"},
    option_row{"scale-down-delay-after-add", a_duration, to<&options::pause_after_add_ms>, "10m",
               "no removal for this time after nodes were added"},
    option_row{"scale-down-delay-after-failure", a_duration, to<&options::pause_after_failure_ms>, "3m",
               "the same after a failed removal"},
    option_row{"scale-down-delay-after-delete", a_duration, to<&options::pause_after_delete_ms>, "0s",
               "the same after a removal"},
    option_row{"max-scale-down-parallelism", a_count, to<&options::max_removals>, "10",
               "nodes that are removed at the same time"},
    option_row{"max-empty-bulk-delete", a_count, to<&options::max_removals>, "10", "AKS' name for the same"},
    option_row{"max-drain-parallelism", a_count, to<&options::max_drains>, "1", "of those, nodes with pods to move"},
    option_row{"skip-nodes-with-local-storage", a_flag, to<&options::skip_local_storage>, "true",
               "a pod with local storage keeps its node"},
    option_row{"skip-nodes-with-system-pods", a_flag, to<&options::skip_system_pods>, "true",
               "a kube-system pod without a budget keeps its node"},
    option_row{"skip-nodes-with-custom-controller-pods", a_flag, to<&options::skip_custom_controller_pods>, "true",
               "a pod of another controller keeps its node"},
    option_row{"min-replica-count", a_count, to<&options::min_replica_count>, "0",
               "a pod of a smaller controller keeps its node"},
    option_row{"unremovable-node-recheck-timeout", a_duration, to<&options::recheck_ms>, "5m",
               "a node that could not be removed is not examined again before"},
    option_row{"startup-taint", text::a_text("a taint's key"), to<&options::startup_taints>, "none",
               "a node that carries this taint is not ready yet; new nodes lose it"},
    option_row{"ignore-taint", text::a_text("a taint's key"), to<&options::startup_taints>, "none",
               "older name of startup-taint"},
    option_row{"status-taint", text::a_text("a taint's key"), to<&options::status_taints>, "none",
               "new nodes do not have this taint"},
};

// kubernetes/autoscaler cluster-autoscaler/config/flags/flags.go
constexpr std::array<std::string_view, 41> without_meaning{"address",
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
                                                           "scale-down-non-empty-candidates-count",
                                                           "scan-interval",
                                                           "status-config-map-name",
                                                           "stderrthreshold",
                                                           "v",
                                                           "write-status-configmap"};

}  // namespace

std::span<const option_row> option_rows() { return rows; }

// Recognizes --leader-elect-lease-duration and similar flags.
bool is_without_meaning(std::string_view name) {
    return name.starts_with("leader-elect-") || is_one_of(name, without_meaning);
}

}  // namespace gputide::nodes
