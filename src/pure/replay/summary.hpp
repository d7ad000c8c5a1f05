// The totals of a replay, updated step by step.  Constant memory for any length.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/lateness.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gputide::replay {

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
    bool above = false;           // above target, by the level in the settings
    bool recorded_above = false;  // the recorded value was above target at the recorded size
    bool saturated = false;       // the replayed replicas are fully used
    bool low_confidence = false;  // the recorded replicas were fully used: the true demand may have been higher
    bool has_data = false;        // every metric has a recorded number for this time
    std::int32_t recorded = -1;   // the recorded size; -1: unknown
    decide::limit limited_by = decide::limit::none;
};

struct summary {
    std::int64_t steps = 0;
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::int64_t at_min_ms = 0;
    std::int64_t at_max_ms = 0;
    std::int64_t at_zero_ms = 0;
    std::int64_t above_ms = 0;
    std::int64_t recorded_above_ms = 0;
    std::int64_t saturated_ms = 0;
    std::int64_t low_confidence_ms = 0;
    std::int64_t no_value_ms = 0;
    std::int64_t with_data_ms = 0;
    std::int64_t starting_ms = 0;  // time with at least one replica that was not ready
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

void add(summary& summary, const step& step, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept;

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
