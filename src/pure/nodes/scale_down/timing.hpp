// When an unneeded node may be removed, and how many at once.
// kubernetes/autoscaler core/scaledown/unneeded/nodes.go, budgets/budgets.go, core/static_autoscaler.go.
#pragma once

#include "nodes/scale_down/utilization.hpp"

#include <cstdint>
#include <optional>

namespace gputide::nodes {

struct timing_rules {
    std::int64_t unneeded_ms = 10 * 60'000;  // scale-down-unneeded-time
    std::int64_t unready_ms = 20 * 60'000;   // scale-down-unready-time
};

struct unneeded_node {
    bool ready = true;
    bool keep = false;  // by annotation
    std::int64_t since_ms = 0;
    std::int64_t pool_min = 0;
    std::int64_t pool_size = 0;
    std::int64_t pool_deletions = 0;  // in progress, and accepted before this one
};

// Returns why a node stays.  It may go if it is unneeded for longer than its time, strictly (since + T < now), and then
// size − deletions > min.
stay why_stay(const unneeded_node& node, std::int64_t now_ms, const timing_rules& rules);

struct removals {
    std::int64_t empty = 0;
    std::int64_t drain = 0;

    friend bool operator==(const removals&, const removals&) = default;
};

struct parallelism {
    std::int64_t total = 10;  // max-scale-down-parallelism
    std::int64_t drain = 1;   // max-drain-parallelism
};

// Returns how many may start now in addition to those in progress, empty ones first.
removals within_budget(const removals& wanted, const removals& in_progress, const parallelism& most);

struct pause_rules {
    std::int64_t after_add_ms = 10 * 60'000;     // scale-down-delay-after-add
    std::int64_t after_failure_ms = 3 * 60'000;  // scale-down-delay-after-failure
    std::int64_t after_delete_ms = 0;            // scale-down-delay-after-delete
};

struct past_actions {
    std::optional<std::int64_t> add_ms;
    std::optional<std::int64_t> failure_ms;
    std::optional<std::int64_t> delete_ms;
};

// Returns until when no node is removed; nothing: no pause.
std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const pause_rules& rules);

}  // namespace gputide::nodes
