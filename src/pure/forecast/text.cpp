#include "forecast/text.hpp"

#include "base/time.hpp"
#include "forecast/forecast.hpp"
#include "forecast/visit.hpp"

namespace gputide::forecast {

namespace {

constexpr text_format format{"gputide_forecast", "forecast", 1, max_text_bytes};

error refused(const std::string& why) {
    return fail(status::state, "saved forecast: {}; start without it, or pass the state saved for this forecast", why);
}

}  // namespace

std::string save(const memory& memory, const settings& settings) {
    text_output out(format);
    visit(out, memory, settings);
    return std::move(out).seal();
}

result<memory> load(std::string_view text, const settings& settings) {
    result<text_input> in = text_input::open(text, format);
    if (!in) return refused(in.failure().message);
    gputide::forecast::settings saved_settings = settings;
    memory out;
    visit(*in, out, saved_settings);
    if (!in->at_end()) return refused("the text is damaged");
    change(out, saved_settings, settings);
    return out;
}

namespace {

void write_number(json_writer& out, std::string_view name, double value) {
    if (!is_none(value)) out.member(name, value);
}

}  // namespace

void write_parts(json_writer& out, std::string_view name, const parts& values) {
    out.key(name).begin_object();
    for (std::size_t i = 0; i < part_count; ++i) out.member(part_names[i], values[i]);
    out.end_object();
}

void write_report(json_writer& out, const report& report, const settings& settings) {
    out.member("state", name(report.state)).member("mode", name(settings.mode)).member("lead_ms", settings.lead_ms);
    if (report.has_forecast) {
        out.member("at", format_rfc3339_ms(report.at_ms)).member("value", report.value);
        out.member("forecast", report.forecast).member("upper", report.upper);
        write_parts(out, "parts", report.parts);
        write_number(out, "ask", report.requested_load);
    }
    write_number(out, "floor_load", report.floor_load);
    write_number(out, "error", report.error);
    write_number(out, "error_last_value", report.error_last_value);
    out.member("skill_percent", 100 * report.skill);
    write_number(out, "held_percent", 100 * report.held);
    out.member("extra_percent", 100 * report.spent);
    if (settings.has_budget) out.member("budget_percent", settings.budget_percent);
    out.member("trimmed_percent", 100 * report.trim);
}

void write_ahead(json_writer& out, std::span<const slot_forecast> ahead) {
    out.key("ahead").begin_array();
    for (const slot_forecast& forecast : ahead) {
        out.begin_object().member("at", format_rfc3339_ms(forecast.at_ms));
        out.member("forecast", forecast.forecast).member("upper", forecast.upper);
        write_number(out, "ask", forecast.requested_load);
        out.end_object();
    }
    out.end_array();
}

void write_settings(json_writer& out, const settings& settings) {
    out.key("settings").begin_object().member("slot_ms", settings.slot_ms).member("lead_ms", settings.lead_ms);
    out.member("quantile_percent", 100 * settings.quantile);
    out.member("budget_percent", settings.has_budget ? settings.budget_percent : no_number);  // null: no limit
    out.member("max_raise_percent", settings.max_raise_percent).member("warmup_ms", settings.warmup_ms);
    out.member("mode", name(settings.mode)).end_object();
}

}  // namespace gputide::forecast
