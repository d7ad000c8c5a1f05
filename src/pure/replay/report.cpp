#include "base/json_writer.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/forecast/history.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/trace/texts.hpp"
#include "replay/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace gputide::replay {
// The rises of the load above the target.

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

// The figures, curves and events.

namespace {

// Rounds for display: minutes and hours with three decimals.
double minutes(std::int64_t ms) { return std::round(static_cast<double>(ms) / 60.0) / 1000.0; }
double hours(double ms) { return std::round(ms / 3600.0) / 1000.0; }
double rounded(double value) { return std::round(value * 1000.0) / 1000.0; }

void write_input(json_writer& out, const input_notes& notes) {
    out.key("input").begin_object().member("points", notes.points);
    write_quality(out, notes);
    out.end_object();
}

void write_model(json_writer& out, const replayer& replayer) {
    const settings& settings = replayer.how();
    out.key("model").begin_object().member("name", model_name(settings.model));
    out.key("signal").begin_array();
    for (std::size_t i = 0; i < replayer.policy().metrics.size(); ++i) out.string(signal_name(signal_of(settings, i)));
    out.end_array().member("saturation", settings.saturation);
    out.member("exporter_ms", replayer.lag().exporter_ms).member("scrape_ms", replayer.lag().scrape_ms);
    const manifest::scaling& spec = replayer.policy().scaling;
    const bool keda = spec.kind == manifest::manifest_kind::scaled_object;
    if (keda) out.member("poll_ms", std::int64_t{spec.polling_interval_s} * 1000);
    out.member("sync_ms", spec.extra.sync_period_ms).member("hold_ms", replayer.hold_ms());
    out.key("startup_ms").begin_array();
    for (const std::int64_t value : settings.startup_ms) out.integer(value);
    out.end_array().member("seed", static_cast<std::int64_t>(settings.seed)).end_object();
}

// Writes scalingModifiers as the compared metric, with the members of `metrics`.
void write_formula(json_writer& out, const replayer& replayer) {
    const decide::policy& policy = replayer.policy();
    if (policy.formula == nullptr || !policy.scaling.modifiers) return;
    const bool is_average = policy.scaling.modifiers->metric_type == manifest::target_type::average_value;
    out.key("formula").begin_object().member("metric", decide::trigger_name(policy, decide::composite_metric));
    out.member("text", policy.scaling.modifiers->formula).member("target", policy.composite_target);
    out.member("target_type", is_average ? "AverageValue" : "Value");
    out.member("activation_threshold", policy.composite_activation);
    out.member("above", rounded(policy.composite_target * decide::tolerance_of(policy).high)).end_object();
}

void write_policy(json_writer& out, const replayer& replayer) {
    const decide::policy& policy = replayer.policy();
    out.key("policy").begin_object().member(
        "min",
        policy.scaling.min.value_or(replayer.policy().scaling.kind == manifest::manifest_kind::scaled_object ? 0 : 1));
    out.member("max", policy.scaling.max);
    if (policy.scaling.idle) out.member("idle", *policy.scaling.idle);
    out.key("metrics").begin_array();
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        const decide::metric_policy& metric = policy.metrics[i];
        const bool is_utilization = metric.type == manifest::target_type::utilization;
        out.begin_object().member("metric", metric.label()).member("target", metric.target());
        out.member("target_type", is_shared_by_replicas(metric) ? "AverageValue"
                                  : is_utilization              ? "Utilization"
                                                                : "Value");
        out.member("activation_threshold", metric.activation_threshold).member("above", rounded(replayer.level(i)));
        out.end_object();
    }
    out.end_array();
    write_formula(out, replayer);
    out.member("gpus_per_replica", static_cast<double>(policy.scaling.extra.gpus_per_replica_milli) / 1000.0);
    out.member("cost_per_gpu_hour", policy.scaling.extra.cost_per_gpu_hour).end_object();
}

void write_limits(json_writer& out, const summary& summary) {
    out.key("limited_minutes").begin_object();
    for (std::size_t i = 0; i < decide::limit_count; ++i)
        if (summary.limited_ms[i] > 0)
            out.member(decide::limit_name(static_cast<decide::limit>(i)), minutes(summary.limited_ms[i]));
    out.end_object();
}

void write_summary(json_writer& out, const replayer& replayer) {
    const summary& sums = replayer.sums();
    const manifest::extra_rules& extra = replayer.policy().scaling.extra;
    const double gpus = gpu_hours(sums, extra.gpus_per_replica_milli);
    out.key("summary").begin_object().member("steps", sums.steps);
    out.member("from", format_rfc3339_ms(sums.from_ms)).member("to", format_rfc3339_ms(sums.to_ms));
    out.member("duration_hours", hours(static_cast<double>(sums.to_ms - sums.from_ms)));
    out.member("replica_hours", hours(sums.replica_ms)).member("gpu_hours", rounded(gpus));
    out.member("cost", rounded(gpus * extra.cost_per_gpu_hour));
    if (replayer.knows_recorded_sizes()) {
        out.member("recorded_replica_hours", hours(sums.recorded_ms));
        out.member(during_names[recorded_above], minutes(sums.ms[recorded_above]));
    }
    for (std::size_t i = 0; i < recorded_above; ++i) out.member(during_names[i], minutes(sums.ms[i]));
    out.member("scale_ups", sums.ups).member("scale_downs", sums.downs).member("flaps", sums.flaps);
    out.member("least_replicas", sums.lowest_replicas).member("most_replicas", sums.peak_replicas);
    const double whole_ms = static_cast<double>(sums.to_ms - sums.from_ms);
    out.member("mean_replicas", whole_ms > 0 ? rounded(sums.replica_ms / whole_ms) : 0.0);
    out.member("mean_value", sums.value_time_ms > 0 ? rounded(sums.value_ms / sums.value_time_ms) : 0.0);
    write_limits(out, sums);
    replayer.lateness().write(out);
    out.end_object();
}

// Writes the forecast's effect in comparison with the same replay without the forecast.
void write_forecast(json_writer& out, const replayer& replayer) {
    const decide::load_forecast* forecast = replayer.forecast();
    if (forecast == nullptr) return;
    const summary& sums = replayer.sums();
    out.key("forecast").begin_object();
    out.member("metric", decide::trigger_name(replayer.policy(), replayer.policy().forecast->metric));
    decide::write_forecast(out, *forecast);
    out.member("minutes_raised", minutes(sums.limited_ms[static_cast<std::size_t>(decide::limit::forecast)]));
    if (const summary* off = replayer.without_forecast(); off != nullptr) {
        out.member("extra_replica_hours", hours(sums.replica_ms - off->replica_ms));
        out.key("without").begin_object().member("replica_hours", hours(off->replica_ms));
        out.member("minutes_above_target", minutes(off->ms[above])).end_object();
    }
    out.end_object();
}

void write_events(json_writer& out, const replayer& replayer) {
    const std::int64_t changes = replayer.sums().ups + replayer.sums().downs;
    const auto kept = static_cast<std::int64_t>(replayer.events().size());
    out.member("events_left_out", changes > kept ? changes - kept : 0).key("events").begin_array();
    for (const event& event : replayer.events()) {
        out.begin_object().member("time", format_rfc3339_ms(event.time_ms)).member("time_ms", event.time_ms);
        out.member("current_replicas", event.before).member("desired_replicas", event.after);
        out.member("proposed_replicas", event.raw);
        out.member("limited_by", decide::limit_name(event.limited_by))
            .member("source", decide::origin_name(event.origin));
        if (event.metric != -1)
            out.member("metric", decide::trigger_name(replayer.policy(), event.metric))
                .member("value", rounded(event.value));
        out.member("reason", event.reason).member("text", event.text).end_object();
    }
    out.end_array();
}

// Writes an array per curve, for charts.
template <class Value>
void write_curve(json_writer& out, const char* name, const std::vector<chart_point>& points, Value value) {
    out.key(name).begin_array();
    for (const chart_point& point : points) value(point);
    out.end_array();
}

void write_chart(json_writer& out, const replayer& replayer) {
    const std::vector<chart_point>& points = replayer.curves().points();
    out.key("chart").begin_object();
    write_curve(out, "time_ms", points, [&](const chart_point& point) { out.integer(point.time_ms); });
    const auto value = [&](bool has, double of) { has ? out.number(rounded(of)) : out.null(); };
    write_curve(out, "value_low", points, [&](const chart_point& point) { value(point.has_value(), point.value_low); });
    write_curve(out, "value_high", points,
                [&](const chart_point& point) { value(point.has_value(), point.value_high); });
    write_curve(out, "value_mean", points, [&](const chart_point& point) {
        value(point.has_value(), point.value_sum / std::max(point.values, 1));
    });
    write_curve(out, "proposed", points, [&](const chart_point& point) { out.integer(point.raw); });
    write_curve(out, "replicas", points, [&](const chart_point& point) { out.integer(point.replicas); });
    write_curve(out, "ready", points, [&](const chart_point& point) { out.integer(point.ready); });
    if (replayer.knows_recorded_sizes()) {
        write_curve(out, "recorded", points,
                    [&](const chart_point& point) { point.recorded >= 0 ? out.integer(point.recorded) : out.null(); });
    }
    write_curve(out, "above", points, [&](const chart_point& point) {
        out.number(rounded(static_cast<double>(point.above) / static_cast<double>(point.steps)));
    });
    write_curve(out, "low_confidence", points,
                [&](const chart_point& point) { out.integer(point.low_confidence ? 1 : 0); });
    out.end_object();
}

void write_warnings(json_writer& out, const replayer& replayer) {
    const settings& settings = replayer.how();
    const summary& sums = replayer.sums();
    out.key("warnings").begin_array();
    if (replayer.above_saturation() > 0 && settings.model == model::closed)
        out.string(std::to_string(replayer.above_saturation()) + " recorded values are above the saturation of " +
                   shortest(settings.saturation) +
                   ": this is not a utilization; set signal (--signal) to queue or total, or set saturation "
                   "(--saturation)");
    if (settings.model == model::closed && settings.startup_ms.empty())
        out.string("no start-up delay was given: new replicas are ready immediately");
    if (sums.ms[low_confidence] > 0)
        out.string(
            shortest(minutes(sums.ms[low_confidence])) +
            " minutes are of low confidence: the recorded replicas were full, and demand above that was not recorded");
    const bool woke = replayer.policy().scaling.min.value_or(1) > 0 || settings.model == model::open;
    if (!woke && sums.last_replicas == 0 && sums.ms[at_zero] > 0 && signal_of(settings, 0) == signal::utilization)
        out.string(
            "the replay ends at 0 replicas: a utilization has no value while nothing runs, so it cannot scale up "
            "again; "
            "scale from 0 by a queue or by requests");
    out.end_array();
}

}  // namespace

std::string report_json(const replayer& replayer) {
    json_writer out;
    out.begin_object()
        .member("name", replayer.policy().scaling.name)
        .member("namespace", replayer.policy().scaling.name_space);
    if (replayer.how().verify) {
        out.key("verification").begin_object().member("decisions", replayer.compared.decisions);
        out.member("same", replayer.compared.same)
            .member("first_difference", replayer.compared.first_difference)
            .end_object();
        write_input(out, replayer.notes);
        return out.end_object().take();
    }
    write_model(out, replayer);
    write_policy(out, replayer);
    write_input(out, replayer.notes);
    write_summary(out, replayer);
    write_forecast(out, replayer);
    write_warnings(out, replayer);
    write_events(out, replayer);
    if (replayer.how().chart_points > 0) write_chart(out, replayer);
    return out.end_object().take();
}

}  // namespace gputide::replay
