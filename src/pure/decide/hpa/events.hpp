// Scale events: what was written when, for the rate policies.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (storeScaleEvent, markScaleEventsOutdated,
// getReplicasChangePerPeriod).
#pragma once

#include "decide/hpa/behavior_view.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::decide {

// Sum of the changes with t > now - period, strictly; the outdated mark is not looked at.
// Worked: period 60 s, +7 58 s ago and +6 60 s ago → 7.
std::int64_t changed_within(std::span<const scale_event> events, std::int32_t period_s, std::int64_t now_ms) noexcept;

// After a write.  Marks every event older than the longest period of this direction's policies (t < now - longest) and puts
// the new one into the last marked slot, else to the end.
// A policy of the other direction with a longer period can lose an event early this way; upstream does, and so do we.
void store_event(std::vector<scale_event>& events, const rules_view& rules, std::int32_t change, std::int64_t now_ms);

// After a write from `before` to `after`: stored with behaviour only; also where the size was forced into its bounds.
void store_rescale(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int64_t now_ms);

// At most this many events a direction: half an hour, the longest period, of writes every second with room to spare.
// Upstream has no bound.  In a full list the two oldest become one with the newer one's time, which never loosens a limit.
inline constexpr std::size_t max_scale_events = 2048;

}  // namespace gputide::decide
