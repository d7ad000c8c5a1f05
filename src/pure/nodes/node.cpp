#include "nodes/node.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::nodes {

const std::string* find_text(const text_map& all, const std::string& name) {
    const auto found = all.find(name);
    return found != all.end() ? &found->second : nullptr;
}

std::string text_of(const text_map& all, const std::string& name) {
    const std::string* const found = find_text(all, name);
    return found != nullptr ? *found : std::string();
}

bool is_one_of(std::string_view text, std::span<const std::string_view> list) {
    return std::ranges::find(list, text) != list.end();
}

std::string full_name(const pod& pod) { return pod.name_space.empty() ? pod.name : pod.name_space + "/" + pod.name; }

// kubernetes/autoscaler simulator/drainability: deletion + grace + 30 s < now.
// Worked: deleted at 0 with the default grace, it still counts at 60 s, and no longer a moment later.
bool is_long_terminating(const pod& pod, std::int64_t now_ms) {
    if (!pod.deleted_ms) return false;
    return add_saturating(add_saturating(*pod.deleted_ms, pod.grace_ms), long_terminating_ms) < now_ms;
}

// DaemonSet requests for resources that the template does not list are ignored.
resource_list free_of(const node_shape& shape) {
    resource_list out;
    for (const resource& resource : shape.allocatable)
        out.set(resource.name, subtract_saturating(resource.amount, shape.daemon_requests.of(resource.name)));
    return out;
}

std::int64_t amount_of_node(const node_shape& shape, std::string_view resource_name) {
    return resource_name == "nodes" ? 1 : shape.capacity_or_allocatable().of(resource_name);
}

namespace {

constexpr std::array<std::string_view, 5> pool_labels{"kubernetes.azure.com/agentpool", "agentpool",
                                                      "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup",
                                                      "karpenter.sh/nodepool"};
constexpr const char* size_name = "node.kubernetes.io/instance-type";

void take(const text_map& labels, const std::string& name, text_map& out) {
    if (const std::string* const found = find_text(labels, name)) out.emplace(name, *found);
}

}  // namespace

const pod* unmodeled_pod_of(const node& node) {
    const auto at = std::ranges::find_if(
        node.pods, [](const pod& pod) { return !pod.goes_with_node() && !pod.placement.unmodeled.empty(); });
    return at != node.pods.end() ? &*at : nullptr;
}

std::string pool_named_by(const text_map& labels) {
    for (const std::string_view name : pool_labels) {
        if (const std::string* const found = find_text(labels, std::string(name))) return *found;
    }
    return {};
}

text_map selector_of(const pool& pool) {
    text_map out;
    if (!pool.shape) return out;
    for (const std::string_view name : pool_labels) {
        if (out.empty()) take(pool.shape->labels, std::string(name), out);
    }
    if (!pool.family.empty()) take(pool.shape->labels, size_name, out);  // its pools differ only in that
    return out;
}

}  // namespace gputide::nodes
