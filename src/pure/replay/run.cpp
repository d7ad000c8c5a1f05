#include "replay/run.hpp"

#include "decide/hpa/proposals.hpp"
#include "decide/readings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gputide::replay {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t max_steps_in_a_gap = 50'000'000;
constexpr std::int64_t min_period_ms =
    1'000;  // a period of 0 means "at every call"; a replay uses one second, as gputided does

status status_of(sample_state state) {
    switch (state) {
        case sample_state::ok:
            return status::ok;
        case sample_state::auth:
            return status::auth;
        case sample_state::timeout:
            return status::timeout;
        case sample_state::partial:
            return status::partial;
        case sample_state::ambiguous:
            return status::ambiguous;
        case sample_state::empty:
        case sample_state::not_a_number:
        case sample_state::stale:
            return status::no_data;
        default:
            return status::unavailable;
    }
}

// Draws the first beat: each hop has its own phase, because exporter and scraper rarely start in the same millisecond.
std::int64_t first_beat(std::int64_t period_ms, std::int64_t from_ms, draws& draws) {
    if (period_ms <= 0) return never;
    return from_ms + static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(period_ms))) + 1;
}

}  // namespace

result<replayer> replayer::make(const decide::policy& policy, settings settings,
                                const std::vector<source_rules>& rules) {
    if (policy.metrics.empty()) return fail(status::invalid, "replay: the manifest has no metric");
    if (settings.verify && has_per_pod(policy))
        return fail(
            status::invalid,
            "verify: the manifest has per-pod metrics, and a log has only their mean; replay it without verify");
    if (rules.size() != policy.metrics.size())
        return fail(status::bug, "replay: {} source rules are given for {} metrics", rules.size(),
                    policy.metrics.size());
    result<decide::policy> made = changed(policy, settings.changes);
    if (!made) return made.take_failure();
    replayer out(*made, settings, rules);
    if (settings.verify || !made->forecast || made->forecast->settings.mode != forecast::mode::act) return out;
    made->scaling.extra.forecast.mode = manifest::forecast_mode::off;
    made->forecast = nullptr;
    settings.events = settings.chart_points = 0;
    out.without_ = std::make_unique<replayer>(replayer(*made, std::move(settings), rules));
    return out;
}

replayer::replayer(const decide::policy& policy, settings settings, const std::vector<source_rules>& rules)
    : policy_(policy),
      settings_(std::move(settings)),
      lag_(settings_.lag.value_or(settings_.model == model::closed ? closed_loop_hops : hops{})),
      within_{policy_.scaling.hpa_min(), policy_.scaling.max},
      has_per_pod_(has_per_pod(policy_)),
      metrics_(policy_.metrics.size()),
      samples_(policy_.metrics.size()),
      state_(decide::make_state(policy_, policy_.scaling.created_ms.value_or(decide::absent))),
      load_(settings_.startup_ms, settings_.seed, 0),
      recorded_replicas_(settings_.recorded_replicas),
      curves_(static_cast<std::size_t>(settings_.chart_points)) {
    if (settings_.hold_ms > 0) hold_ms_ = settings_.hold_ms;
    const double high = decide::tolerance_of(policy_).high;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        const decide::metric_policy& metric = policy_.metrics[i];
        metrics_[i].path = {.signal = signal_of(settings_, i), .saturation = settings_.saturation, .hold_ms = hold_ms_};
        metrics_[i].rules = rules[i];
        metrics_[i].level = i < settings_.above.size() ? settings_.above[i] : metric.target() * high;
        metrics_[i].is_shared_by_replicas = is_shared_by_replicas(metric);
    }
}

void replayer::expect_step(std::int64_t step_ms) {
    if (settings_.hold_ms > 0 || step_ms <= 0) return;
    hold_ms_ = step_ms + step_ms / 2;
    for (followed& metric : metrics_) metric.path.hold_ms = hold_ms_;
    if (without_ != nullptr) without_->expect_step(step_ms);
}

// Passes the forecast the points that a range query with its slot as step would return: the newest valid ones.
void replayer::teach_past(std::span<const metric_track* const> tracks, std::int64_t from_ms) {
    const std::optional<decide::history_span> over = decide::wanted_history(policy_, state_, from_ms);
    if (!over) return;
    const std::vector<point>& points = tracks[over->metric]->points;
    std::vector<sample> past;
    std::size_t next = 0;
    for (std::int64_t time_ms = over->from_ms; time_ms <= over->to_ms; time_ms += over->step_ms) {
        while (next < points.size() && points[next].time_ms <= time_ms) ++next;
        const bool stands = next > 0 && time_ms - points[next - 1].time_ms < hold_ms_;
        past.push_back(stands ? seen_as(over->metric, points[next - 1]) : sample{});
        past.back().time_ms = time_ms;
    }
    decide::learn_history(policy_, state_, *over, past);
}

const decide::load_forecast* replayer::forecast() const {
    return state_.forecast.empty() ? nullptr : &state_.forecast.front();
}

const summary* replayer::without_forecast() const { return without_ == nullptr ? nullptr : &without_->sums(); }

result<void> replayer::check_open() const {
    if (finished_) return fail(status::state, "replay: it has ended; open a new one");
    return {};
}

result<void> replayer::record(std::int64_t time_ms, std::span<const sample> values, std::int32_t replicas) {
    if (result<void> ok = check_open(); !ok) return ok;
    if (values.size() != metrics_.size())
        return fail(status::invalid, "replay: expected {} samples, one per metric, got {}", metrics_.size(),
                    values.size());
    if (time_ms < 0 || time_ms > latest_ms)
        return fail(status::invalid, "replay: the time {} ms is outside the years 1970 to 9999", time_ms);
    if (started_ && time_ms < recorded_ms_)
        return fail(status::invalid, "replay: time went back by {} ms; record in order of time",
                    recorded_ms_ - time_ms);
    const std::int64_t period_ms = std::max<std::int64_t>(policy_.scaling.extra.sync_period_ms, min_period_ms);
    if (started_ && time_ms - recorded_ms_ > max_steps_in_a_gap * period_ms)
        return fail(status::limit, "replay: a gap of {} days; at most {} days are accepted, so split the series there",
                    (time_ms - recorded_ms_) / 86'400'000, max_steps_in_a_gap * period_ms / 86'400'000);
    if (started_) advance(time_ms);
    recorded_ms_ = time_ms;
    if (replicas >= 0) recorded_replicas_ = replicas;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].state == sample_state::not_given) continue;
        metric_path& path = metrics_[i].path;
        path.record(values[i], time_ms, std::max(recorded_replicas_, 0));
        if (values[i].state == sample_state::ok && path.signal == signal::utilization &&
            values[i].value > settings_.saturation * 1.001)
            ++above_saturation_;
    }
    if (!started_) begin(time_ms);
    return without_ == nullptr ? result<void>() : without_->record(time_ms, values, replicas);
}

void replayer::begin(std::int64_t now_ms) {
    started_ = true;
    const bool keda = policy_.scaling.kind == manifest::manifest_kind::scaled_object;
    std::int32_t size = policy_.scaling.min.value_or(keda ? 0 : 1);
    if (recorded_replicas_ >= 0) size = recorded_replicas_;
    if (settings_.initial_replicas >= 0) size = settings_.initial_replicas;
    load_ = workload(settings_.startup_ms, settings_.seed, size);
    draws phases(settings_.seed);
    next_export_ms_ = first_beat(lag_.exporter_ms, now_ms, phases);
    next_scrape_ms_ = first_beat(lag_.scrape_ms, now_ms, phases);
    next_tick_ms_ = now_ms;
    for (followed& metric : metrics_) metric.path.exported = metric.path.scraped = current(metric.path, now_ms);
}

void replayer::finish() {
    if (finished_) return;
    finished_ = true;
    if (without_ != nullptr) without_->finish();
    if (!started_) return;
    advance(recorded_ms_ + 1);
    if (has_pending_) settle(next_tick_ms_ == never ? recorded_ms_ + 1 : next_tick_ms_);
    if (const auto open = late_.finish(sums_.to_ms)) rises_.add(*open);
}

// Runs everything before until_ms in order; at equal times first exporter, then scrape, then decision.
void replayer::advance(std::int64_t until_ms) {
    for (;;) {
        const std::int64_t beat_ms = std::min(next_export_ms_, next_scrape_ms_);
        const std::int64_t now_ms = std::min(beat_ms, next_tick_ms_);
        if (now_ms >= until_ms) return;
        if (beat_ms == now_ms) {
            beat(now_ms);
        } else {
            tick(now_ms);
        }
    }
}

void replayer::beat(std::int64_t now_ms) {
    if (next_export_ms_ == now_ms) {
        for (followed& metric : metrics_) metric.path.exported = current(metric.path, now_ms);
        next_export_ms_ += lag_.exporter_ms;
    }
    if (next_scrape_ms_ != now_ms) return;
    for (followed& metric : metrics_)
        metric.path.scraped = lag_.exporter_ms > 0 ? metric.path.exported : current(metric.path, now_ms);
    next_scrape_ms_ += lag_.scrape_ms;
}

measured replayer::current(const metric_path& path, std::int64_t now_ms) {
    if (settings_.model == model::closed) return path.simulated(load_.ready(now_ms), now_ms);
    measured out = path.recorded;
    if (!path.fresh(now_ms)) out.state = sample_state::empty;
    return out;
}

sample replayer::seen_as(std::size_t metric, const point& point) const {
    if (point.state == sample_state::empty) return metrics_[metric].rules.when_empty;
    if (point.state == sample_state::not_a_number) return metrics_[metric].rules.when_not_a_number;
    sample out;
    out.state = point.state;
    out.status = status_of(point.state);
    out.value = point.state == sample_state::ok ? point.value : 0.0;
    out.time_ms = point.time_ms;
    return out;
}

void replayer::tick(std::int64_t now_ms) {
    if (has_pending_) settle(now_ms);
    const std::int32_t ready = load_.ready(now_ms);
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        const metric_path& path = metrics_[i].path;
        metrics_[i].truth = current(path, now_ms);
        const measured& seen = lag_.scrape_ms > 0     ? path.scraped
                               : lag_.exporter_ms > 0 ? path.exported
                                                      : metrics_[i].truth;
        samples_[i] = seen_as(i, {seen.time_ms, seen.value, seen.state});
    }
    decide::observation seen;
    seen.now_ms = now_ms;
    seen.spec_replicas = load_.replicas();
    seen.ready_replicas = ready;
    seen.samples = samples_;
    if (has_per_pod_) {
        pods_.look(policy_, samples_, ready, load_.replicas() - ready, now_ms);
        seen.pods = pods_.pods;
        seen.pod_samples = pods_.samples;
    }
    const bool keeps = events_.size() < static_cast<std::size_t>(settings_.events);
    if (keeps) before_ = state_;
    if (policy_.formula != nullptr) formula_value_ = formula_value(seen);
    decide::build(last_, [&] { return decide::decide(policy_, state_, seen); });
    if (last_.desired_replicas != last_.current_replicas) {
        if (keeps) keep_event(last_, seen);
        apply(last_, seen);
    }
    const bool seen_above = sees_above(last_, ready);
    const std::int64_t before_ms = pending_.time_ms;
    pending_ = {.time_ms = now_ms,
                .value = samples_[0].value,
                .has_value = samples_[0].state == sample_state::ok && !samples_[0].null_as_zero,
                .raw = last_.proposed_replicas,
                .before = last_.current_replicas,
                .replicas = load_.replicas(),
                .ready = load_.ready(now_ms),
                .limited_by = last_.limited_by};
    if (policy_.formula != nullptr) {
        pending_.has_value = formula_value_.has_value();
        pending_.value = formula_value_.value_or(0.0);
    }
    judge(pending_, last_, now_ms);
    note_load(pending_, last_, seen_above, before_ms);
    has_pending_ = true;
    next_tick_ms_ = last_.next_due_ms > now_ms ? last_.next_due_ms : now_ms + min_period_ms;
}

void replayer::apply(decide::decision& decision, const decide::observation& seen) {
    decide::record_applied(policy_, state_, decision, seen.now_ms);
    if (decision.desired_replicas > load_.replicas()) raised_ms_ = seen.now_ms;
    load_.resize(decision.desired_replicas, seen.now_ms);
}

}  // namespace gputide::replay
