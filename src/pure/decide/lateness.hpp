// Lateness of scaling: finds each rise of the load above the target, with the times of the decision, the write and the ready
// replicas, the time until the load is below the target again, and the causes of that time.  For replays and live loops.  No
// clock, no allocation.
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
    polling = 0,        // the next poll or HPA pass was not due
    metric_age = 1,     // the metric still described an earlier load
    tolerance = 2,      // the load is within the HPA's tolerance
    stabilization = 3,  // a stabilization window, or proposals that must be confirmed
    rate_limit = 4,     // scaling policies of behavior
    maximum = 5,        // the maximum, or a budget
    startup = 6,        // replicas were starting
    node = 7,           // replicas were waiting for a node
    other = 8,          // no data, a pause, a fallback
};
inline constexpr std::size_t late_cause_count = static_cast<std::size_t>(late_cause::other) + 1;

std::string_view late_cause_name(late_cause cause) noexcept;  // "rate_limit"

// A workload at one time, after that time's decision.
struct load_look {
    std::int64_t time_ms = 0;
    std::int64_t since_ms = 0;    // begin of the time above the target; used at the start of a rise
    bool has_load = false;        // the load is known
    bool is_above = false;        // the load is above the target of the ready replicas
    bool seen_above = false;      // the value that the decision used is above the target
    std::int32_t proposed = 0;    // replicas that the metrics propose
    std::int32_t desired = 0;     // the decision
    std::int32_t replicas = 0;    // spec.replicas, after the write if it was made
    std::int32_t ready = 0;       // negative: unknown
    bool waits_for_node = false;  // the replicas that are not ready have no node
    limit limited_by = limit::none;
};

// One rise of the load above the target.  Times are Unix milliseconds; 0: has not happened.
struct rise {
    std::int64_t start_ms = 0;
    std::int64_t decided_ms = 0;  // start_ms if replicas were already starting
    std::int64_t written_ms = 0;
    std::int64_t ready_ms = 0;  // time when the replicas of the first write were ready
    std::int64_t end_ms = 0;    // start of calm_ms below the target, or the last time with a known load
    bool is_below = false;      // false: the load was still above the target at end_ms
    std::array<std::int64_t, late_cause_count> cause_ms{};  // shares of the time above the target

    std::int64_t lasted_ms() const noexcept { return end_ms - start_ms; }
    late_cause main_cause() const noexcept;
};

// Finds the rises in a sequence of looks.  Less than calm_ms below the target does not end a rise: a single value of a noisy
// series must not split it.
class lateness {
  public:
    static constexpr std::int64_t calm_ms = 120'000;

    // Adds the next look, in order of time.  Returns a rise that has ended.
    std::optional<rise> add(const load_look& look) noexcept;
    // Returns the rise that has not ended.
    std::optional<rise> finish(std::int64_t now_ms) noexcept;
    bool is_open() const noexcept { return open_.has_value(); }
    // Returns the same as of the last look, and does not end it.
    std::optional<rise> current() const noexcept { return lateness(*this).finish(last_ms_); }

  private:
    void begin(const load_look& look) noexcept;
    void advance(const load_look& look) noexcept;

    std::optional<rise> open_;
    std::int32_t replicas_before_ = 0;
    std::int32_t wanted_ = 0;  // replicas of the first write
    std::int64_t last_ms_ = 0;
    std::int64_t below_ms_ = 0;               // begin of the time below the target; 0: the load is above
    late_cause cause_ = late_cause::polling;  // of the time since last_ms_
};

}  // namespace gputide::decide
