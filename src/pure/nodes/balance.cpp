#include "nodes/balance.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gputide::nodes {
namespace {

constexpr std::array<std::string_view, 7> basic_labels{
    "kubernetes.io/hostname",      "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region",          "beta.kubernetes.io/fluentd-ds-ready",
    "kops.k8s.io/instancegroup",
};
constexpr std::array<std::string_view, 2> agent_pool_labels{"agentpool", "kubernetes.azure.com/agentpool"};
constexpr std::array<std::string_view, 7> azure_labels{
    "topology.disk.csi.azure.com/zone",
    "aksEngineVersion",
    "creationSource",
    "poolName",
    "resourceNameSuffix",
    "kubernetes.azure.com/node-image-version",
    "kubernetes.azure.com/consolidated-additional-properties",
};

template <class List>
bool holds(const List& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_ignored(const std::string& label, const similarity& how) {
    if (holds(basic_labels, label) || holds(how.ignored_labels, label)) return true;
    return how.azure && (holds(agent_pool_labels, label) || holds(azure_labels, label));
}

bool labels_agree(const text_map& a, const text_map& b, const similarity& how) {
    const auto all_in = [&](const text_map& from, const text_map& other) {
        return std::all_of(from.begin(), from.end(), [&](const auto& label) {
            if (is_ignored(label.first, how)) return true;
            const auto found = other.find(label.first);
            return found != other.end() && found->second == label.second;
        });
    };
    return all_in(a, b) && all_in(b, a);
}

bool of_one_agent_pool(const text_map& a, const text_map& b) {
    return std::any_of(agent_pool_labels.begin(), agent_pool_labels.end(), [&](std::string_view label) {
        const auto entry = a.find(std::string(label));
        const auto other = b.find(std::string(label));
        return entry != a.end() && other != b.end() && !entry->second.empty() && entry->second == other->second;
    });
}

// Returns an amount in thousandths, as upstream compares: cpu already is.
double milli(const resource& resource) {
    return static_cast<double>(resource.name == cpu_name ? resource.amount
                                                         : multiply_saturating(resource.amount, 1000));
}

bool within(const resource& a, const resource& b, double ratio) {
    const double larger = std::max(milli(a), milli(b));
    const double smaller = std::min(milli(a), milli(b));
    return larger - smaller <= larger * ratio;
}

bool same_names(const resource_list& a, const resource_list& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const resource& x, const resource& y) { return x.name == y.name; });
}

// Compares two lists in order: both are sorted by name.
template <class Agree>
bool all_agree(const resource_list& a, const resource_list& b, Agree agree) {
    return same_names(a, b) && std::equal(a.begin(), a.end(), b.begin(), agree);
}

bool lists_within(const resource_list& a, const resource_list& b, double ratio) {
    return all_agree(a, b, [&](const resource& x, const resource& y) { return within(x, y, ratio); });
}

}  // namespace

bool are_similar(const node_shape& a, const node_shape& b, const similarity& how) {
    if (how.azure && of_one_agent_pool(a.labels, b.labels)) return true;
    const auto capacity_agrees = [&](const resource& x, const resource& y) {
        return x.name == memory_name ? within(x, y, how.memory_difference_ratio) : x.amount == y.amount;
    };
    return all_agree(a.capacity_or_allocatable(), b.capacity_or_allocatable(), capacity_agrees) &&
           lists_within(a.allocatable, b.allocatable, how.allocatable_difference_ratio) &&
           lists_within(free_of(a), free_of(b), how.free_difference_ratio) && labels_agree(a.labels, b.labels, how);
}

std::vector<std::int64_t> balanced_sizes(std::span<const balanced_pool> pools, std::int64_t more) {
    std::vector<std::int64_t> sizes;
    sizes.reserve(pools.size());
    for (const balanced_pool& pool : pools) sizes.push_back(pool.size);
    for (; more > 0; --more) {
        std::optional<std::size_t> smallest;
        for (std::size_t i = 0; i < pools.size(); ++i) {
            if (sizes[i] < pools[i].max && (!smallest || sizes[i] < sizes[*smallest])) smallest = i;
        }
        if (!smallest) break;
        ++sizes[*smallest];
    }
    return sizes;
}

}  // namespace gputide::nodes
