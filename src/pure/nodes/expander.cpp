#include "nodes/expander.hpp"

#include "base/saturate.hpp"
#include "base/stable_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

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

bool is_ignored(const std::string& label, const options& how) {
    if (is_one_of(label, basic_labels)) return true;
    if (std::ranges::find(how.ignored_labels, label) != how.ignored_labels.end()) return true;
    return how.azure && (is_one_of(label, agent_pool_labels) || is_one_of(label, azure_labels));
}

bool labels_agree(const text_map& a, const text_map& b, const options& how) {
    const auto all_in = [&](const text_map& from, const text_map& other) {
        return std::ranges::all_of(from, [&](const auto& label) {
            if (is_ignored(label.first, how)) return true;
            const auto found = other.find(label.first);
            return found != other.end() && found->second == label.second;
        });
    };
    return all_in(a, b) && all_in(b, a);
}

bool of_one_agent_pool(const text_map& a, const text_map& b) {
    return std::ranges::any_of(agent_pool_labels, [&](std::string_view label) {
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

// The places of pods are compared as if no daemon took one, as upstream does.
resource_list free_for_comparison(const node_shape& shape) {
    resource_list out = free_of(shape);
    if (shape.allocatable.lists(pods_name)) out.set(pods_name, shape.allocatable.of(pods_name));
    return out;
}

}  // namespace

bool are_similar(const node_shape& a, const node_shape& b, const options& how) {
    if (how.azure && of_one_agent_pool(a.labels, b.labels)) return true;
    const auto capacity_agrees = [&](const resource& x, const resource& y) {
        return x.name == memory_name ? within(x, y, how.memory_difference_ratio) : x.amount == y.amount;
    };
    return all_agree(a.capacity_or_allocatable(), b.capacity_or_allocatable(), capacity_agrees) &&
           lists_within(a.allocatable, b.allocatable, how.allocatable_difference_ratio) &&
           lists_within(free_for_comparison(a), free_for_comparison(b), how.free_difference_ratio) &&
           labels_agree(a.labels, b.labels, how);
}

// kubernetes/autoscaler processors/nodegroupset/balancing_processor.go: pools in the order of their sizes are filled to the
// size of the next one, round after round.
// Worked: sizes 1 and 0, 2 more: 1 and 1 after the first, then the one that was smallest at the start: 1 and 2.
std::vector<std::int64_t> balanced_sizes(std::span<const pool_size> pools, std::int64_t more) {
    std::vector<std::int64_t> sizes;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        sizes.push_back(pools[i].size);
        if (pools[i].size != pools[i].max) order.push_back(i);
    }
    sort_stably(order, [&](std::size_t a, std::size_t b) { return pools[a].size < pools[b].size; });
    std::size_t start = 0;
    std::size_t at = 0;
    while (more > 0 && start < order.size()) {
        const std::size_t pool = order[at];
        if (sizes[pool] < pools[pool].max) {
            ++sizes[pool];
            --more;
        } else {
            std::swap(order[start], order[at]);
            ++start;
        }
        const bool next_is_smaller = at + 1 < order.size() && sizes[pool] > sizes[order[at + 1]];
        at = next_is_smaller ? at + 1 : start;
    }
    return sizes;
}

namespace {

using option_list = std::vector<option>;

double part_left(std::int64_t offered, std::int64_t requested) {
    return static_cast<double>(subtract_saturating(offered, requested)) / static_cast<double>(offered);
}

// Returns the unused part of capacity, not of allocatable; GPUs do not count.
std::optional<double> wasted(const option& option) {
    if (option.shape == nullptr) return std::nullopt;
    const resource_list& capacity = option.shape->capacity_or_allocatable();
    double sum = 0.0;
    for (const std::string_view name : {cpu_name, memory_name})
        sum += part_left(multiply_saturating(capacity.of(name), option.nodes), option.requested.of(name));
    return std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;  // 0 of 0: no comparison possible
}

// Returns the unused part of the GPUs; 0 for a node without GPUs.
std::optional<double> wasted_gpus(const option& option) {
    if (option.shape == nullptr) return std::nullopt;
    const std::int64_t offered = multiply_saturating(gpu_count(option.shape->allocatable), option.nodes);
    return offered == 0 ? 0.0 : part_left(offered, gpu_count(option.requested));
}

// Returns the value per requested GPU, or per placed pod if none requests any.
std::optional<double> unit_cost(const option& option) {
    if (!option.price_per_hour) return std::nullopt;
    const std::int64_t gpus = gpu_count(option.requested);
    const std::int64_t units = gpus > 0 ? gpus : option.pods;
    if (units == 0) return std::numeric_limits<double>::infinity();
    return *option.price_per_hour * static_cast<double>(option.nodes) / static_cast<double>(units);
}

option_list keep_one(const option_list& all) {
    const option* const chosen = final_choice(all);
    return chosen != nullptr ? option_list{*chosen} : option_list{};
}

// Returns what a filter compares: the smallest value is the best; an option without a value is removed.
std::optional<double> value_of(expander filter, const option& option, const preference& how) {
    switch (filter) {
        case expander::most_pods:
            return -static_cast<double>(option.pods);
        case expander::least_nodes:
            return option.nodes == 0 ? std::nullopt : std::optional(static_cast<double>(option.nodes));
        case expander::least_waste:
            return wasted(option);
        case expander::price:
            return price_score(option, how);
        case expander::gpu_waste:
            return wasted_gpus(option);
        case expander::least_cost:
            return unit_cost(option);
        case expander::fastest:
            return option.delay_ms ? std::optional(static_cast<double>(*option.delay_ms)) : std::nullopt;
        case expander::random:
        case expander::priority:
            break;
    }
    return std::nullopt;
}

// A pool that matches several numbers gets the highest; numbers below -1 never win; without any match every option is
// kept.
option_list keep_highest_priority(const option_list& all, const preference& how) {
    std::optional<std::int64_t> best;
    option_list kept;
    for (const option& option : all) {
        std::optional<std::int64_t> own;
        for (const priority_rule& rule : how.priorities) {
            const bool matches = std::ranges::any_of(rule.pools, [&](const pattern& name) {
                match_budget budget;  // for one id: ids of real clouds never reach it
                return name.found_in(option.pool, budget);
            });
            if (matches && rule.number >= -1 && (!own || rule.number > *own)) own = rule.number;
        }
        if (!own || (best && *own < *best)) continue;
        if (!best || *own > *best) kept.clear();
        best = own;
        kept.push_back(option);
    }
    return kept.empty() ? all : kept;
}

// Returns the options that a filter keeps, in their order.
option_list keep_best(expander filter, option_list all, const preference& how) {
    if (filter == expander::random) return keep_one(all);
    if (filter == expander::priority) return keep_highest_priority(all, how);
    option_list out;
    std::optional<double> best;
    for (option& option : all) {
        const std::optional<double> value = value_of(filter, option, how);
        if (!value) continue;
        if (best && !(*value == *best || *value < *best)) continue;
        if (!best || *value < *best) out.clear();
        best = value;
        out.push_back(std::move(option));
    }
    // Prices and delays may all be unknown; they then decide nothing.
    if (!best && (filter == expander::least_cost || filter == expander::fastest)) return all;
    return out;
}

constexpr std::array<std::string_view, 9> names_of_expanders{
    "random", "most-pods", "least-nodes", "least-waste", "priority", "price", "gpu-waste", "least-cost", "fastest"};

}  // namespace

std::optional<expander> parse_expander(std::string_view name) {
    const auto* const at = std::ranges::find(names_of_expanders, name);
    if (at == names_of_expanders.end()) return std::nullopt;
    return static_cast<expander>(at - names_of_expanders.begin());
}

std::span<const std::string_view> expander_names() { return names_of_expanders; }

std::vector<option> run_chain(std::span<const expander> chain, std::vector<option> all, const preference& how) {
    for (const expander filter : chain) {
        all = keep_best(filter, std::move(all), how);
        if (all.size() == 1) break;
    }
    return all;
}

const option* final_choice(std::span<const option> left) {
    const auto first =
        std::min_element(left.begin(), left.end(), [](const option& a, const option& b) { return a.pool < b.pool; });
    return first != left.end() ? &*first : nullptr;
}

// kubernetes/autoscaler expander/price/price.go, preferred.go.

std::optional<double> price_score(const option& option, const preference& how) {
    if (option.shape == nullptr || !option.price_per_hour || !option.pods_price) return std::nullopt;
    const auto nodes = static_cast<double>(option.nodes);
    const double sub =
        (*option.price_per_hour * nodes + how.stabilization_price) / (*option.pods_price + how.stabilization_price);
    const auto cpu = static_cast<double>(option.shape->capacity_or_allocatable().of(cpu_name));
    const double unfit = unfitness(static_cast<double>(how.preferred_cpu_milli), cpu);
    double sup = (unfit - 1.0) * (1.0 - std::tanh((nodes - 1.0) / 15.0)) + 1.0;
    if (has_gpu(*option.shape)) sup = 1000.0;
    return sup * sub * (option.exists ? 1.0 : 2.0);
}

double unfitness(double preferred_cpu, double node_cpu) {
    return std::max(preferred_cpu / node_cpu, node_cpu / preferred_cpu);
}

std::int64_t preferred_cpu_milli(std::int64_t cluster_nodes) {
    struct row {
        std::int64_t max_nodes;
        std::int64_t cores;
    };
    static constexpr std::array<row, 5> rows{{{2, 1}, {6, 2}, {20, 4}, {60, 8}, {200, 16}}};
    for (const row& entry : rows) {
        if (cluster_nodes <= entry.max_nodes) return entry.cores * 1000;
    }
    return 32'000;
}

}  // namespace gputide::nodes
