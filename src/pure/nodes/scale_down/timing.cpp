#include "nodes/scale_down/timing.hpp"

#include "base/saturate.hpp"

#include <algorithm>

namespace gputide::nodes {

stay why_stay(const unneeded_node& node, std::int64_t now_ms, const timing_rules& rules) {
    if (node.keep) return stay::disabled_by_annotation;
    const std::int64_t wait_ms = node.ready ? rules.unneeded_ms : rules.unready_ms;
    if (add_saturating(node.since_ms, wait_ms) >= now_ms)
        return node.ready ? stay::not_unneeded_long_enough : stay::not_unready_long_enough;
    if (node.pool_size - node.pool_deletions <= node.pool_min) return stay::min_size_reached;
    return stay::no_reason;
}

removals within_budget(const removals& wanted, const removals& in_progress, const parallelism& most) {
    const std::int64_t total = std::max<std::int64_t>(0, most.total - in_progress.empty - in_progress.drain);
    const std::int64_t empty = std::min(wanted.empty, total);
    const std::int64_t drain = std::clamp<std::int64_t>(most.drain - in_progress.drain, 0, total - empty);
    return {empty, std::min(wanted.drain, drain)};
}

std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const pause_rules& rules) {
    std::optional<std::int64_t> out;
    const auto hold = [&](const std::optional<std::int64_t>& action_ms, std::int64_t wait_ms) {
        if (!action_ms) return;
        const std::int64_t until_ms = add_saturating(*action_ms, wait_ms);
        if (until_ms > now_ms) out = std::max(out.value_or(until_ms), until_ms);
    };
    hold(past.add_ms, rules.after_add_ms);
    hold(past.failure_ms, rules.after_failure_ms);
    hold(past.delete_ms, rules.after_delete_ms);
    return out;
}

}  // namespace gputide::nodes
