#include "nodes/selector.hpp"

#include <array>
#include <string_view>

namespace gputide::nodes {
namespace {

constexpr std::array<std::string_view, 5> names{"kubernetes.azure.com/agentpool", "agentpool",
                                                "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup",
                                                "karpenter.sh/nodepool"};
constexpr std::string_view size_name = "node.kubernetes.io/instance-type";

void take(const text_map& labels, std::string_view name, text_map& text_map) {
    const auto found = labels.find(std::string(name));
    if (found != labels.end()) text_map.insert(*found);
}

}  // namespace

std::string pool_named_by(const text_map& labels) {
    for (const std::string_view name : names) {
        if (const auto found = labels.find(std::string(name)); found != labels.end()) return found->second;
    }
    return {};
}

text_map selector_of(const pool& pool) {
    text_map out;
    if (!pool.shape) return out;
    for (const std::string_view name : names) {
        if (out.empty()) take(pool.shape->labels, name, out);
    }
    if (!pool.family.empty()) take(pool.shape->labels, size_name, out);  // its pools differ only in that
    return out;
}

}  // namespace gputide::nodes
