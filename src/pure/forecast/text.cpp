#include "forecast/text.hpp"

#include "base/time.hpp"
#include "forecast/forecast.hpp"
#include "forecast/visit.hpp"
#include "text/setting.hpp"

#include <array>

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

std::string_view name_of(mode mode) { return manifest::forecast_mode_names[static_cast<std::size_t>(mode)]; }

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
    out.member("state", name(report.state)).member("mode", name_of(settings.mode)).member("lead_ms", settings.lead_ms);
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
    if (settings.budget_percent) out.member("budget_percent", *settings.budget_percent);
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

// The settings, as they are read and written.

namespace {

using text::setting_value;

constexpr std::span<const std::string_view> mode_names =
    std::span(manifest::forecast_mode_names).subspan(1);  // not off

bool fill_slot(settings& settings, const setting_value& value) {
    settings.slot_ms = value.whole;
    return is_slot(value.whole);
}

bool fill_mode(settings& settings, const setting_value& value) {
    settings.mode = static_cast<mode>(value.whole + 1);
    return true;
}

template <auto Member>
constexpr auto to = text::fill_member<settings, Member>;

constexpr std::array rows{
    setting_row{"slot_ms", text::a_whole(0, 300'000, "60000 or 300000"), fill_slot, "60000",
                "length of a slot: the time of a reading is rounded down to it"},
    setting_row{"lead_ms", text::a_whole(settings::min_lead_ms, settings::max_lead_ms), to<&settings::lead_ms>,
                "300000", "the start-up time"},
    setting_row{"quantile_percent", text::a_number(settings::min_quantile_percent, settings::max_quantile_percent),
                to<&settings::quantile_percent>, "90", "how often the upper edge of the band should hold"},
    setting_row{"budget_percent",
                {.form = text::value_form::number,
                 .min = settings::min_budget_percent,
                 .max = settings::max_budget_percent,
                 .may_be_null = true},
                to<&settings::budget_percent>,
                "5",
                "extra replica-hours that the forecast may cost, over about a week; null: no limit"},
    setting_row{"max_raise_percent", text::a_number(settings::max_raise_percent_min, settings::max_raise_percent_max),
                to<&settings::max_raise_percent>, "200", "the floor is at most this much above the reactive size"},
    setting_row{"warmup_ms", text::a_whole(settings::min_warmup_ms, settings::max_warmup_ms), to<&settings::warmup_ms>,
                "86400000", "how long the forecast is scored before its first use"},
    setting_row{"mode", text::a_choice(mode_names), fill_mode, "act",
                "observe learns, scores and reports, and raises nothing"},
};

}  // namespace

std::int64_t slots_ahead(const settings& settings) noexcept {
    return 1 + (settings.lead_ms + settings.slot_ms - 1) / settings.slot_ms;
}

std::span<const setting_row> setting_rows() { return rows; }

result<settings> read_settings(std::string_view json) {
    constexpr std::size_t max_bytes = 65'536;
    settings out;
    error why = text::read_json_settings("", json, max_bytes, setting_rows(), out);
    if (why.status != status::ok) return why;
    return out;
}

void write_settings(json_writer& out, const settings& settings) {
    out.key("settings").begin_object().member("slot_ms", settings.slot_ms).member("lead_ms", settings.lead_ms);
    out.member("quantile_percent", settings.quantile_percent);
    out.member("budget_percent", settings.budget_percent.value_or(no_number));  // null: no limit
    out.member("max_raise_percent", settings.max_raise_percent).member("warmup_ms", settings.warmup_ms);
    out.member("mode", name_of(settings.mode)).end_object();
}

}  // namespace gputide::forecast
