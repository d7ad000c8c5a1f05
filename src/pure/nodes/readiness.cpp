#include "nodes/readiness.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::array<std::string_view, 4> gpu_labels{"kubernetes.azure.com/accelerator", "accelerator",
                                                     "cloud.google.com/gke-accelerator",
                                                     "k8s.amazonaws.com/accelerator"};

}  // namespace

bool has_gpu_label(const node_shape& shape) {
    return std::ranges::any_of(gpu_labels,
                               [&](std::string_view label) { return shape.labels.contains(std::string(label)); });
}

bool has_gpu(const node_shape& shape) { return has_gpu_label(shape) || offers_gpu(shape.allocatable); }

bool offers_gpu(const resource_list& allocatable, bool strict) {
    return std::ranges::any_of(
        allocatable, [&](const resource& resource) { return resource.amount > 0 && is_gpu(resource.name, strict); });
}

bool is_ready(const node& node, bool labelled, bool strict) {
    return node.ready && (!labelled || node.shape.devices != nullptr || offers_gpu(node.shape.allocatable, strict));
}

node_class class_of(const node& node, std::int64_t now_ms, const options& how) {
    if (node.deleting) return node_class::deleted;
    if (node.suspended) return node_class::suspended;
    if (is_ready(node, has_gpu_label(node.shape), how.strict)) return node_class::ready;
    const bool young = node.created_ms && add_saturating(*node.created_ms, how.startup_ms) > now_ms;
    return young ? node_class::not_started : node_class::unready;
}

std::int64_t upcoming(std::int64_t target, const pool_counts& counts) {
    const std::int64_t there = counts[node_class::ready] + counts[node_class::unready] + counts[node_class::suspended];
    return std::max<std::int64_t>(0, subtract_saturating(target, there));
}

bool is_healthy(std::int64_t unready, std::int64_t total, const options& how) {
    return unready <= how.ok_unready ||
           static_cast<double>(unready) <= how.max_unready_percent / 100.0 * static_cast<double>(total);
}

}  // namespace gputide::nodes
