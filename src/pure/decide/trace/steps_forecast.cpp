// Writes the step of the forecast: its value, its accuracy, its cost and the floor.
#include "decide/decision.hpp"
#include "decide/trace/report.hpp"
#include "forecast/text.hpp"

#include <array>
#include <charconv>
#include <iterator>

namespace gputide::decide {

namespace {

using forecast::floor_reason;

std::string fixed(double value, int decimals) {
    std::array<char, 400> buffer;
    const auto [end, bad] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return bad == std::errc{} ? std::string(buffer.data(), end) : shortest(value);
}

std::string signed_text(double value, int decimals) {
    std::string out = fixed(value, decimals);
    if (out.front() != '-') out.insert(out.begin(), '+');
    return out;
}

// Returns the number of decimals to show: 0 for 117.39, 1 for 11.7, 3 below 1.
int decimals_of(double load) { return load >= 100 ? 0 : load >= 10 ? 1 : load >= 1 ? 2 : 3; }

// Returns "10:11" of 2026-11-21T10:11:00.000Z.
std::string hour_and_minute(std::int64_t time_ms) { return format_rfc3339_ms(time_ms).substr(11, 5); }

constexpr std::array<std::string_view, forecast::part_count> part_texts{"day's pattern", "week's pattern",
                                                                        "hour's pattern", "trend", "noise"};

void say_sum(step_writer& out, const forecast::report& report) {
    if (!report.has_forecast) {
        out.say("no reading in the last slot");
        return;
    }
    const int decimals = decimals_of(report.upper);
    out.say("{} at {} (in {} min), now {}", fixed(report.forecast, decimals), hour_and_minute(report.at_ms),
            report.ahead_ms / 60'000, fixed(report.value, decimals));
    std::string_view separator = ": ";
    for (std::size_t i = 0; i < forecast::part_count; ++i) {
        if (report.parts[i] == 0) continue;
        out.say("{}{} {}", separator, part_texts[i], signed_text(report.parts[i], decimals + 1));
        separator = ", ";
    }
    out.say("; upper edge {}", fixed(report.upper, decimals));
}

void say_record(step_writer& out, const forecast::report& report) {
    if (forecast::is_none(report.error)) return;
    const int decimals = decimals_of(report.has_forecast ? report.upper : report.error) + 1;
    out.say("{}{} % of the last day, error {}, with the last value {}",
            report.has_forecast ? " not exceeded for " : "; upper edge not exceeded for ", fixed(100 * report.held, 0),
            fixed(report.error, decimals), fixed(report.error_last_value, decimals));
    if (report.error_last_value <= 0) return;
    const double better = 100 * (1 - report.error / report.error_last_value);
    out.say(" ({}{}", fixed(forecast::magnitude(better), 0), better >= 0 ? " % better)" : " % worse)");
}

void say_cost(step_writer& out, const forecast_rule& rule, const forecast::report& report) {
    out.say("; extra cost {} %", fixed(100 * report.spent, 1));
    if (rule.settings.budget_percent) out.say(" (budget {} %)", shown(*rule.settings.budget_percent));
    if (report.trim > 0) out.say(", band trimmed by {} %", fixed(100 * report.trim, 0));
}

// The texts before and after the floor, by floor_reason.
struct floor_texts {
    const char* before = "";
    const char* after = "";
};
constexpr floor_texts texts_by_reason[] = {
    {},
    {},
    {"", ", enough"},
    {"", ", capped by the maximum"},
    {"", ", capped by max-raise"},
    {"", ", only observed"},
    {"; no floor: warming up"},
    {"; no floor: not more accurate than the last value"},
    {"; no floor: the budget is spent"},
    {"; no floor: no recent value"},
    {"; the target is at 0, and a forecast does not start it"},
};
static_assert(std::size(texts_by_reason) == static_cast<std::size_t>(floor_reason::at_zero) + 1);

void say_floor(step_writer& out, const forecast_rule& rule, const forecast_trace& forecast_trace) {
    if (forecast_trace.floor.reason == floor_reason::none) return;
    const floor_texts& texts = texts_by_reason[static_cast<std::size_t>(forecast_trace.floor.reason)];
    out.say("{}", texts.before);
    if (forecast_trace.floor.need < 0) return;
    out.say("; floor load {} at target {} → {}; reactive {}",
            fixed(forecast_trace.report.floor_load, decimals_of(forecast_trace.report.floor_load) + 1),
            shown(rule.target), counted(forecast_trace.floor.need, "replica"), forecast_trace.reactive);
    if (forecast_trace.floor.replicas != forecast_trace.reactive) out.say(" → {}", forecast_trace.floor.replicas);
    out.say("{}", texts.after);
}

void say_history(step_writer& out, const history_note& note) {
    switch (note.outcome) {
        case history_outcome::none:
            return;
        case history_outcome::read:
            out.say("; history: {} values since {}, {} missing", note.slots, format_rfc3339_ms(note.from_ms),
                    note.missing);
            return;
        case history_outcome::empty:
            out.say("; history: no value since {}", format_rfc3339_ms(note.from_ms));
            return;
        case history_outcome::failed:
            out.say("; history: not read ({})", status_name(note.why));
            return;
        case history_outcome::no_past:
            out.say("; history: not read, as the metric's source keeps none");
            return;
        case history_outcome::no_total:
            out.say("; history: not read, because past replica counts are unknown and the metric is not a total");
            return;
    }
}

void write_floor(json_writer& out, const forecast_trace& forecast_trace) {
    if (forecast_trace.floor.reason == floor_reason::none) return;
    if (forecast_trace.floor.need >= 0) out.member("need", forecast_trace.floor.need);
    out.member("reactive_replicas", forecast_trace.reactive).member("replicas", forecast_trace.floor.replicas);
    out.member("reason", forecast::name(forecast_trace.floor.reason));
}

}  // namespace

void write_forecast_step(step_sink& sink, const policy& policy, const trace& trace) {
    const forecast_trace& forecast_trace = trace.forecast;
    if (!forecast_trace.ran) return;
    const forecast_rule& rule = *policy.forecast;
    step_writer out(sink, "forecast");
    out.member("metric", trigger_name(policy, rule.metric));
    if (sink.json != nullptr) {
        forecast::write_report(*sink.json, forecast_trace.report, rule.settings);
        forecast::write_ahead(*sink.json, forecast_trace.ahead);
        write_history(*sink.json, forecast_trace.history);
        sink.json->member("shadow_replicas", forecast_trace.shadow);
        write_floor(*sink.json, forecast_trace);
    }
    out.say("forecast: ");
    say_sum(out, forecast_trace.report);
    say_record(out, forecast_trace.report);
    say_cost(out, rule, forecast_trace.report);
    say_floor(out, rule, forecast_trace);
    say_history(out, forecast_trace.history);
    out.done();
}

}  // namespace gputide::decide
