// Lateness of scaling: each rise of the load above the target, with the times of the decision, the write and the ready replicas, the
// time until the load is below the target again, and what took that time.  Replays use it; a live loop can.  No clock, no allocation.
#pragma once

#include "decide/decision.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gputide::decide {

// Causes of lateness.  Append-only; the names are those of the JSON.
enum class late_cause : std::int32_t {
    polling = 0,        // the next poll or HPA pass had not come
    metric_age = 1,     // the metric that was read still described the time before
    tolerance = 2,      // the HPA's tolerance allows the load
    stabilization = 3,  // a stabilization window, or the confirmation of proposals
    rate_limit = 4,     // behavior's scaling policies
    maximum = 5,        // the maximum, or a budget
    startup = 6,        // replicas were starting
    node = 7,           // replicas were waiting for a node
    other = 8,          // no data, a pause, a fallback
};
inline constexpr std::size_t late_cause_count = static_cast<std::size_t>(late_cause::other) + 1;

std::string_view late_cause_name(late_cause cause) noexcept;  // "rate_limit"

// A workload at one time, after the decision of that time.
struct load_look {
    std::int64_t time_ms = 0;
    std::int64_t since_ms = 0;  // since when the load has been above the target; used at the begin of a rise
    bool has_load = false;      // the load is known
    bool is_above = false;      // it is above the target of the ready replicas
    bool seen_above = false;    // so is the value that the decision was made from
    std::int32_t proposed = 0;  // replicas that the metrics ask for
    std::int32_t desired = 0;   // the decision
    std::int32_t replicas = 0;  // spec.replicas, with the write if it was made
    std::int32_t ready = 0;
    bool waits_for_node = false;  // the replicas that are not ready have no node
    limit limited_by = limit::none;
};

// One rise of the load above the target.  Times are Unix milliseconds; 0: it did not come to that.
struct rise {
    std::int64_t start_ms = 0;
    std::int64_t decided_ms = 0;  // start_ms if replicas were starting already
    std::int64_t written_ms = 0;
    std::int64_t ready_ms = 0;  // as many replicas as the first write asked for were ready
    std::int64_t end_ms = 0;  // below the target for calm_ms from then on, or the last time at which the load was known
    bool is_below = false;    // false: the load was still above the target at end_ms
    std::array<std::int64_t, late_cause_count> cause_ms{};  // of the time above the target

    std::int64_t lasted_ms() const noexcept { return end_ms - start_ms; }
    late_cause main_cause() const noexcept;
};

// Finds the rises in a row of looks.  A load that is below the target for less than calm_ms is still the same rise: one value of a
// noisy series ends none.
class lateness {
  public:
    static constexpr std::int64_t calm_ms = 120'000;

    // Takes the next look, in order of time.  Returns the rise that is known to have ended.
    std::optional<rise> add(const load_look& look) noexcept;
    // Returns the rise that has not ended.
    std::optional<rise> finish(std::int64_t now_ms) noexcept;

  private:
    void begin(const load_look& look) noexcept;
    void advance(const load_look& look) noexcept;

    std::optional<rise> open_;
    std::int32_t replicas_before_ = 0;
    std::int32_t wanted_ = 0;  // replicas of the first write
    std::int64_t last_ms_ = 0;
    std::int64_t below_ms_ = 0;               // since when the load has been below the target; 0: it is above
    late_cause cause_ = late_cause::polling;  // of the time since last_ms_
};

}  // namespace gputide::decide
