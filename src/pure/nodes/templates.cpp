#include "nodes/templates.hpp"

#include "nodes/readiness.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

// kubernetes/autoscaler utils/taints: labels and taints of a node's life cycle do not belong to the pool.
bool is_passing(const taint& taint) {
    static constexpr std::array<std::string_view, 4> passing{
        "ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
        "node.cloudprovider.kubernetes.io/uninitialized", "node.cloudprovider.kubernetes.io/shutdown"};
    const bool listed = std::find(passing.begin(), passing.end(), taint.key) != passing.end();
    const std::string_view key = taint.key;
    return listed || key.starts_with("node.kubernetes.io/") || key.starts_with("startup-taint.cluster-autoscaler.");
}

}  // namespace

node_shape template_of(const node& node) {
    node_shape out = node.shape;
    out.labels.erase("kubernetes.io/hostname");
    std::erase_if(out.taints, is_passing);
    for (const pod& each : node.pods) {
        if (!each.of_daemon_set() && !each.mirror) continue;
        out.daemon_requests.add(each.placement.requests);
        out.daemon_requests.add(pods_name, 1);
    }
    return out;
}

void complete_templates(std::vector<pool>& pools, std::span<const node> nodes) {
    for (pool& pool : pools) {
        if (pool.shape) continue;
        const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const node& each) {
            return each.pool == pool.id && !each.deleting &&
                   is_ready(each, has_gpu_label(each.shape), gpu_rules::any_nvidia);
        });
        if (found != nodes.end()) pool.shape = template_of(*found);
    }
}

}  // namespace gputide::nodes
