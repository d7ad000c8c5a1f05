// The totals of a replay, updated step by step.  Constant memory for any length.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/lateness.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::replay {

// Conditions of a step, in the order of a report's members.
enum during : std::size_t {
    at_min = 0,
    at_max = 1,
    at_zero = 2,
    above = 3,           // above target, by the level in the settings
    saturated = 4,       // the replayed replicas are fully used
    low_confidence = 5,  // the recorded replicas were fully used: the true demand may have been higher
    with_data = 6,       // every metric has a recorded number for this time
    without_value = 7,
    starting = 8,        // at least one replica is not ready
    recorded_above = 9,  // the recorded value was above target at the recorded size
};
inline constexpr std::array<std::string_view, 10> during_names{"minutes_at_min",    "minutes_at_max",
                                                               "minutes_at_zero",   "minutes_above_target",
                                                               "minutes_saturated", "minutes_low_confidence",
                                                               "minutes_with_data", "minutes_without_value",
                                                               "minutes_starting",  "recorded_minutes_above_target"};

// One step: the decision, and the state until the next decision.
struct step {
    std::int64_t time_ms = 0;
    std::int64_t lasts_ms = 0;
    double value = 0.0;  // of the first metric, as the scaler read it
    bool has_value = false;
    std::int32_t raw = 0;       // the proposal of the metrics
    std::int32_t before = 0;    // the size before the decision
    std::int32_t replicas = 0;  // the size after the decision
    std::int32_t ready = 0;
    std::array<bool, during_names.size()> is{};  // add() sets those that follow from the members above
    std::int32_t recorded = -1;                  // the recorded size; -1: unknown
    decide::limit limited_by = decide::limit::none;
};

struct summary {
    std::int64_t steps = 0;
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::array<std::int64_t, during_names.size()> ms{};
    std::array<std::int64_t, decide::limit_count> limited_ms{};
    std::int64_t ups = 0;
    std::int64_t downs = 0;
    std::int64_t flaps = 0;  // changes that reversed the previous change within the flap window
    std::int32_t lowest_replicas = 0;
    std::int32_t peak_replicas = 0;
    std::int32_t last_replicas = 0;
    double replica_ms = 0.0;   // integral of spec.replicas: the billed time
    double recorded_ms = 0.0;  // integral of the recorded sizes, if known
    double value_ms = 0.0;     // integral of the value over the time in which it was known
    double value_time_ms = 0.0;

    std::int64_t last_change_ms = 0;
    std::int32_t last_direction = 0;
};

struct bounds_of_policy {
    std::int32_t min = 0;  // 0 if the executor may scale to 0
    std::int32_t max = 0;
};

void add(summary& summary, step& step, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept;

// Returns GPU-hours; gpus_per_replica_milli is the policy's.
double gpu_hours(const summary& summary, std::int64_t gpus_per_replica_milli) noexcept;

// A replay's curves with a limited number of points: above the limit, adjacent points are merged in pairs.

// Several merged steps.  Keeps the extremes: a peak of one step stays visible in a year.
struct chart_point {
    std::int64_t time_ms = 0;
    double value_low = 0.0;
    double value_high = 0.0;
    double value_sum = 0.0;     // over the steps with a value, for the mean
    std::int32_t values = 0;    // number of these steps
    std::int32_t raw = 0;       // maximum
    std::int32_t replicas = 0;  // maximum
    std::int32_t ready = 0;     // minimum
    std::int32_t steps = 1;
    std::int32_t above = 0;  // number of steps above target
    bool saturated = false;
    bool low_confidence = false;
    std::int32_t recorded = -1;  // maximum; -1: unknown

    bool has_value() const noexcept { return values > 0; }
};

class chart {
  public:
    explicit chart(std::size_t max_count) : max_count_(max_count) {}
    void add(const step& step);
    const std::vector<chart_point>& points() const { return points_; }

  private:
    std::size_t max_count_;  // 0: no points are kept
    std::int64_t steps_per_point_ = 1;
    std::int64_t steps_in_last_ = 0;
    std::vector<chart_point> points_;
};

// The rises of the load above the target in a replay, and the duration of each stage of scaling.  Constant memory for any
// length.

class rises {
  public:
    void add(const decide::rise& rise);
    // Writes {"rises":12,"below_seconds":{"p50":90,"p95":240,"max":300},...}; docs/json.md has the members.
    void write(json_writer& out) const;

  private:
    static constexpr std::size_t max_kept = 16'384;  // above it every second rise is dropped; the quantiles stay close
    static constexpr std::size_t max_longest = 10;

    std::int64_t count_ = 0;
    std::int64_t unanswered_ = 0;  // rises that ended before replicas were added
    std::int64_t unfinished_ = 0;
    std::int64_t every_ = 1;  // one rise of this many is kept
    std::vector<decide::rise> kept_;
    std::vector<decide::rise> longest_;  // the longest first
    std::array<std::int64_t, decide::late_cause_count> cause_ms_{};
};

}  // namespace gputide::replay
