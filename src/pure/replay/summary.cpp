#include "replay/summary.hpp"

#include "base/stable_order.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <string_view>

namespace gputide::replay {

namespace {

void count_change(summary& summary, const step& step, std::int64_t flap_window_ms) noexcept {
    if (step.replicas == step.before) return;
    const std::int32_t direction = step.replicas > step.before ? 1 : -1;
    ++(direction > 0 ? summary.ups : summary.downs);
    if (direction == -summary.last_direction && step.time_ms - summary.last_change_ms <= flap_window_ms)
        ++summary.flaps;
    summary.last_direction = direction;
    summary.last_change_ms = step.time_ms;
}

}  // namespace

void add(summary& summary, const step& step, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept {
    if (summary.steps == 0) {
        summary.from_ms = step.time_ms;
        summary.lowest_replicas = summary.peak_replicas = step.replicas;
    }
    ++summary.steps;
    summary.to_ms = step.time_ms + step.lasts_ms;
    if (step.replicas == 0) {
        summary.at_zero_ms += step.lasts_ms;
    } else if (step.replicas <= within.min) {
        summary.at_min_ms += step.lasts_ms;
    }
    if (step.replicas >= within.max) summary.at_max_ms += step.lasts_ms;
    if (step.above) summary.above_ms += step.lasts_ms;
    if (step.recorded_above) summary.recorded_above_ms += step.lasts_ms;
    if (step.saturated) summary.saturated_ms += step.lasts_ms;
    if (step.low_confidence) summary.low_confidence_ms += step.lasts_ms;
    if (step.has_data) summary.with_data_ms += step.lasts_ms;
    if (step.ready < step.replicas) summary.starting_ms += step.lasts_ms;
    const auto lasts = static_cast<double>(step.lasts_ms);
    if (step.has_value) {
        summary.value_ms += step.value * lasts;
        summary.value_time_ms += lasts;
    } else {
        summary.no_value_ms += step.lasts_ms;
    }
    summary.limited_ms[static_cast<std::size_t>(step.limited_by)] += step.lasts_ms;
    count_change(summary, step, flap_window_ms);
    summary.lowest_replicas = std::min(summary.lowest_replicas, step.replicas);
    summary.peak_replicas = std::max(summary.peak_replicas, step.replicas);
    summary.last_replicas = step.replicas;
    summary.replica_ms += step.replicas * lasts;
}

// Converts to GPU-hours.  Example: 3 replicas of 2 GPUs for 90 minutes: 3 * 5,400,000 ms * 2 / 3,600,000 = 9 GPU-hours.
double gpu_hours(const summary& summary, std::int64_t gpus_per_replica_milli) noexcept {
    return summary.replica_ms / 3'600'000.0 * static_cast<double>(gpus_per_replica_milli) / 1000.0;
}

namespace {

chart_point point_of(const step& step) {
    chart_point out;
    out.time_ms = step.time_ms;
    if (step.has_value) out.value_low = out.value_high = out.value_sum = step.value;
    out.values = step.has_value ? 1 : 0;
    out.raw = step.raw;
    out.replicas = step.replicas;
    out.ready = step.ready;
    out.above = step.above ? 1 : 0;
    out.saturated = step.saturated;
    out.low_confidence = step.low_confidence;
    out.recorded = step.recorded;
    return out;
}

void join(chart_point& best, const chart_point& point) {
    if (point.has_value()) {
        best.value_low = best.has_value() ? std::min(best.value_low, point.value_low) : point.value_low;
        best.value_high = best.has_value() ? std::max(best.value_high, point.value_high) : point.value_high;
        best.value_sum += point.value_sum;
        best.values += point.values;
    }
    best.raw = std::max(best.raw, point.raw);
    best.replicas = std::max(best.replicas, point.replicas);
    best.ready = std::min(best.ready, point.ready);
    best.steps += point.steps;
    best.above += point.above;
    best.saturated = best.saturated || point.saturated;
    best.recorded = std::max(best.recorded, point.recorded);
    best.low_confidence = best.low_confidence || point.low_confidence;
}

void halve(std::vector<chart_point>& points) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); i += 2) {
        chart_point point = points[i];
        if (i + 1 < points.size()) join(point, points[i + 1]);
        points[kept++] = point;
    }
    points.resize(kept);
}

}  // namespace

void chart::add(const step& step) {
    if (max_count_ == 0) return;
    if (steps_in_last_ > 0 && steps_in_last_ < steps_per_point_) {
        join(points_.back(), point_of(step));
        ++steps_in_last_;
        return;
    }
    if (points_.size() >= std::max<std::size_t>(max_count_, 2)) {
        const bool odd = points_.size() % 2 == 1;
        halve(points_);
        steps_per_point_ *= 2;
        if (odd) {  // the last point has only one step
            join(points_.back(), point_of(step));
            steps_in_last_ = steps_per_point_ / 2 + 1;
            return;
        }
    }
    points_.push_back(point_of(step));
    steps_in_last_ = 1;
}

namespace {

struct named_stage {
    std::string_view name;
    std::int64_t decide::rise::*at;
};
constexpr std::array<named_stage, 4> stages{
    named_stage{"decision_seconds", &decide::rise::decided_ms}, named_stage{"write_seconds", &decide::rise::written_ms},
    named_stage{"ready_seconds", &decide::rise::ready_ms}, named_stage{"below_seconds", &decide::rise::end_ms}};

double in_seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

// Returns the smallest value that is at least as large as `percent` percent of all (nearest rank).
double quantile(const std::vector<std::int64_t>& sorted_ms, std::size_t percent) {
    const std::size_t rank = (sorted_ms.size() * percent + 99) / 100;
    return in_seconds(sorted_ms[rank > 0 ? rank - 1 : 0]);
}

void write_stage(json_writer& out, const named_stage& stage, const std::vector<decide::rise>& rises) {
    std::vector<std::int64_t> took_ms;
    for (const decide::rise& rise : rises)
        if (rise.*stage.at != 0) took_ms.push_back(rise.*stage.at - rise.start_ms);
    if (took_ms.empty()) return;
    sort_stably(took_ms);
    out.key(stage.name).begin_object().member("p50", quantile(took_ms, 50)).member("p95", quantile(took_ms, 95));
    out.member("max", quantile(took_ms, 100)).end_object();
}

void write_rise(json_writer& out, const decide::rise& rise) {
    out.begin_object().member("time", format_rfc3339_ms(rise.start_ms)).member("time_ms", rise.start_ms);
    for (const named_stage& stage : stages)
        if (rise.*stage.at != 0) out.member(stage.name, in_seconds(rise.*stage.at - rise.start_ms));
    out.member("is_below", rise.is_below).member("cause", decide::late_cause_name(rise.main_cause())).end_object();
}

}  // namespace

void rises::add(const decide::rise& rise) {
    if (count_++ % every_ == 0) kept_.push_back(rise);
    if (kept_.size() >= max_kept) {
        std::size_t half = 0;
        for (std::size_t i = 0; i < kept_.size(); i += 2) kept_[half++] = kept_[i];
        kept_.resize(half);
        every_ *= 2;
    }
    unanswered_ += rise.written_ms == 0 ? 1 : 0;
    unfinished_ += rise.is_below ? 0 : 1;
    for (std::size_t i = 0; i < cause_ms_.size(); ++i) cause_ms_[i] += rise.cause_ms[i];
    const auto at =
        std::upper_bound(longest_.begin(), longest_.end(), rise,
                         [](const decide::rise& a, const decide::rise& b) { return a.lasted_ms() > b.lasted_ms(); });
    longest_.insert(at, rise);
    if (longest_.size() > max_longest) longest_.pop_back();
}

void rises::write(json_writer& out) const {
    out.key("lateness").begin_object().member("rises", count_).member("without_write", unanswered_);
    out.member("unfinished", unfinished_);
    for (const named_stage& stage : stages) write_stage(out, stage, kept_);
    out.key("cause_minutes").begin_object();
    for (std::size_t i = 0; i < cause_ms_.size(); ++i)
        if (cause_ms_[i] > 0)
            out.member(decide::late_cause_name(static_cast<decide::late_cause>(i)), in_seconds(cause_ms_[i]) / 60.0);
    out.end_object().key("longest").begin_array();
    for (const decide::rise& rise : longest_) write_rise(out, rise);
    out.end_array().end_object();
}

}  // namespace gputide::replay
