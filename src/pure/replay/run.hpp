// Runs a replay: takes recorded values in order of time; returns decisions, sums, curves and events.  Calls the same decide()
// as live scaling.  No I/O, clock, thread or global; constant memory for any length.
#pragma once

#include "decide/decide.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/lateness.hpp"
#include "replay/recording.hpp"
#include "replay/settings.hpp"
#include "replay/summary.hpp"
#include "replay/workload.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gputide::replay {

// A size change and its reason, from the decision's trace.
struct event {
    std::int64_t time_ms = 0;
    std::int32_t before = 0;
    std::int32_t after = 0;
    std::int32_t raw = 0;
    decide::limit limited_by = decide::limit::none;
    decide::origin origin = decide::origin::hpa;
    std::int32_t metric = -1;  // index of the deciding metric, if it had a value; composite_metric: the formula
    double value = 0.0;        // that metric's value
    std::string reason;        // "s0-prometheus above target", "KEDAScaleTargetActivated"
    std::string text;          // the deciding trace steps
};

// Comparison of a run log's decisions with the decisions made now from the same input.
struct verification {
    std::int64_t decisions = 0;
    std::int64_t same = 0;
    std::string first_difference;  // "2026-...: logged 3 -> 6 (proposed 9, scale_up_limit), now ..."
};

class replayer {
  public:
    // `rules`: one per metric of the policy.  For a per-pod metric (cpu, memory, Pods) the series has the mean.
    static result<replayer> make(const decide::policy& policy, settings settings,
                                 const std::vector<source_rules>& rules);

    // Adds the recorded values at time_ms: one sample per metric, not_given without a new value; replicas -1: no new value.
    // First runs the steps before time_ms.  E_INVALID if time goes back, E_LIMIT if a gap has too many steps, E_STATE after
    // the end.
    result<void> record(std::int64_t time_ms, std::span<const sample> values, std::int32_t replicas = -1);
    // Runs the steps up to and including the last recorded time.  Nothing can be recorded afterwards.
    void finish();

    const decide::policy& policy() const { return policy_; }
    const settings& how() const { return settings_; }
    hops lag() const { return lag_; }
    std::int64_t hold_ms() const { return hold_ms_; }
    const summary& sums() const { return sums_; }
    const rises& lateness() const { return rises_; }
    const chart& curves() const { return curves_; }
    const std::vector<event>& events() const { return events_; }
    const decide::decision& last() const { return last_; }
    double level(std::size_t metric) const { return metrics_[metric].level; }
    bool knows_recorded_sizes() const { return recorded_replicas_ >= 0; }
    std::int64_t above_saturation() const {
        return above_saturation_;
    }  // number of recorded values above the saturation: if there are any, the metric is not a utilization
    result<void> check_open() const;  // E_STATE after finish()

    // Returns a recorded point as the sample that the scaler would have read.
    sample seen_as(std::size_t metric, const point& point) const;

    // Sets the step of the recording, the default of hold_ms.  Call it before the first record().
    void expect_step(std::int64_t step_ms);
    // gputide.io/forecast-history: passes the recorded values before from_ms, the start of the replay, to the forecast.  Call
    // it before the first record().
    void teach_past(std::span<const metric_track* const> tracks, std::int64_t from_ms);
    const decide::load_forecast* forecast() const;  // null: the policy has no forecast
    // Sums of the same replay without the forecast; null: the forecast does not act.
    const summary* without_forecast() const;

    verification compared;  // of run_log_again()
    input_notes notes;      // of the recording

  private:
    replayer(const decide::policy& policy, settings settings, const std::vector<source_rules>& rules);
    void begin(std::int64_t now_ms);
    void advance(std::int64_t until_ms);
    void tick(std::int64_t now_ms);
    void beat(std::int64_t now_ms);
    void settle(std::int64_t now_ms);
    void apply(decide::decision& decision, const decide::observation& seen);
    void keep_event(const decide::decision& decision, const decide::observation& seen);
    measured current(const metric_path& path, std::int64_t now_ms);
    void judge(step& step, const decide::decision& decision, std::int64_t now_ms);
    std::optional<double> formula_value(const decide::observation& seen);
    bool sees_above(const decide::decision& decision, std::int32_t ready) const;
    void note_load(const step& step, const decide::decision& decision, bool seen_above, std::int64_t before_ms);

    decide::policy policy_;
    std::unique_ptr<replayer>
        without_;  // the same replay without the forecast, if the forecast acts; records the same input
    settings settings_;
    hops lag_;
    std::int64_t hold_ms_ = 300'000;
    bounds_of_policy within_;

    bool has_per_pod_ = false;
    // One metric of the policy.
    struct followed {
        metric_path path;
        source_rules rules;
        double level = 0.0;  // of "above target"
        measured truth;      // the value at this time, before the hops
        bool is_shared_by_replicas = false;

        // Returns the value that the level is compared with.
        double each(double value, std::int32_t replicas) const noexcept {
            return is_shared_by_replicas ? value / std::max(replicas, 1) : value;
        }
    };
    std::vector<followed> metrics_;
    std::vector<sample> samples_;                // as the scaler reads them, one per metric
    std::vector<decide::passed_metric> passed_;  // inputs of a formula
    std::optional<double> formula_value_;        // at this time
    pod_view pods_;
    decide::state state_;
    decide::state before_;
    workload load_;
    std::int32_t recorded_replicas_ = -1;

    bool started_ = false;
    bool finished_ = false;
    std::int64_t recorded_ms_ = 0;  // the latest recorded time
    std::int64_t next_tick_ms_ = 0;
    std::int64_t next_export_ms_ = 0;
    std::int64_t next_scrape_ms_ = 0;
    step pending_;
    bool has_pending_ = false;

    summary sums_;
    decide::lateness late_;
    rises rises_;
    std::int64_t raised_ms_ = 0;  // time of the last scale-up
    chart curves_;
    std::vector<event> events_;
    decide::decision last_;
    std::int64_t above_saturation_ = 0;
};

// Replays a whole recording, which must be tidy. keep_going is called regularly; false ends the replay with E_CANCELLED. With
// settings.verify the decisions of the recording are repeated instead.
result<void> run(replayer& replayer, const recording& over, bool (*keep_going)(void*) = nullptr, void* asked = nullptr);

// Returns the track of each of the policy's metrics: by name if all names match, else by position.  E_INVALID if a track is
// missing.
result<std::vector<const metric_track*>> tracks_of(const decide::policy& policy, const recording& recording);

// Repeats the decisions of a run log; the result is in with.compared.
result<void> run_log_again(replayer& replayer, const recording& over);

// A replay as JSON: figures, curves, events.  docs/replay.md defines the names.

std::string report_json(const replayer& replayer);

}  // namespace gputide::replay
