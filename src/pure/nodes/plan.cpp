#include "nodes/plan.hpp"

#include "base/format_text.hpp"
#include "base/saturate.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace gputide::nodes {
namespace {

// Sets each node's class and pool, and each pool's counts.
void classify(const planning& given, plan& out) {
    std::unordered_map<std::string_view, std::uint32_t> pools;
    for (const pool& pool : given.of.pools) {
        pools.emplace(pool.id, static_cast<std::uint32_t>(out.pools.size()));
        pool_result& made = out.pools.emplace_back();
        if (pool.shape) made.offers = free_of(*pool.shape);
    }
    for (const node& node : given.of.nodes) {
        node_result& made = out.nodes.emplace_back();
        made.state = class_of(node, given.now_ms, given.how);
        const auto at = pools.find(node.pool);
        if (at == pools.end()) continue;
        made.pool = at->second;
        ++out.pools[made.pool].counts[made.state];
    }
}

// Closes fulfilled requests and fails those that took too long; the remaining ones tell which nodes are upcoming.
void follow_requests(const planning& given, plan& out) {
    const auto& [cluster, options, now_ms, before] = given;
    forget_old(before.backoff, now_ms, options);
    for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
        const pool& pool = cluster.pools[i];
        pool_result& result = out.pools[i];
        const std::int64_t missing = upcoming(pool.size, result.counts);
        const auto open = before.requests.find(pool.id);
        if (open != before.requests.end() && missing == 0) {
            before.requests.erase(open);
        } else if (open != before.requests.end() &&
                   add_saturating(open->second.time_ms, options.provision_ms) < now_ms) {
            before.requests.erase(open);
            note_failure(before.backoff, pool.id, now_ms, options);
        }
        const bool left_alone = pool.backed_off || is_backed_off(before.backoff, pool.id, now_ms);
        if (left_alone) continue;
        // Registered nodes that are not ready yet are upcoming even if their request is unknown.
        const std::int64_t starting = options.strict ? 0 : std::min(missing, result.counts[node_class::not_started]);
        result.upcoming = before.requests.contains(pool.id) ? missing : starting;
    }
}

bool cluster_is_healthy(const plan& plan, const options& options) {
    const auto unready = std::ranges::count_if(
        plan.nodes, [](const node_result& result) { return result.state == node_class::unready; });
    return is_healthy(unready, static_cast<std::int64_t>(plan.nodes.size()), options);
}

void add_up(const cluster& cluster, plan& out) {
    for (const node_result& node : out.nodes) {
        if (goes_now(node)) ++out.pools[node.pool].remove;  // only nodes of pools go
    }
    for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
        const pool_result& result = out.pools[i];
        if (result.add == 0 && result.remove == 0) continue;
        const std::optional<double> price = cluster.pools[i].price_per_hour;
        out.prices_known = out.prices_known && price.has_value();
        out.added_cost_per_hour += price.value_or(0.0) * static_cast<double>(result.add);
        out.saved_cost_per_hour += price.value_or(0.0) * static_cast<double>(result.remove);
    }
}

}  // namespace

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

plan make_plan(const cluster& cluster, const options& options, std::int64_t now_ms, state& before) {
    const planning given{cluster, options, now_ms, before};
    plan out;
    classify(given, out);
    follow_requests(given, out);
    const bool healthy = cluster_is_healthy(out, options);
    if (!healthy) out.scale_up = verdict_of_pass::unhealthy;
    plan_scale_up(given, out);
    if (options.defragment) {
        find_defragmentation(given, out);
        apply_defragmentation(out);
    }
    if (healthy && options.scale_down) plan_scale_down(given, out);
    if (!options.defragment && !options.strict) find_defragmentation(given, out);
    add_up(cluster, out);
    before.planned_ms = now_ms;
    return out;
}

std::string skip_text(const skipped_pool& pool) {
    static constexpr std::array<std::string_view, 9> texts{
        "",
        "in backoff after failed scale-up",
        "not ready for scale-up",
        "max node group size reached",
        "all of its nodes at once would exceed the cluster's maximum",
        "exceeded quota: ",
        "nobody knows what its nodes look like",
        "max cluster size reached",
        "not all pods would fit and scale-up is using all-or-nothing strategy"};
    static_assert(texts.size() == static_cast<std::size_t>(skip::capped) + 1);
    std::string out(texts[static_cast<std::size_t>(pool.why)]);
    if (pool.why == skip::quota) out += format_text("\"{}\", resources: {}", pool.quota, pool.resources);
    return out;
}

}  // namespace gputide::nodes
