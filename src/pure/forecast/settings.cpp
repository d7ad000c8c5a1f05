#include "forecast/settings.hpp"

#include "manifest/scaling.hpp"
#include "text/setting.hpp"

#include <array>

namespace gputide::forecast {
namespace {

using text::setting_value;
using ranges = manifest::forecast_rules;

constexpr std::array<std::string_view, 2> mode_names{"observe", "act"};  // in the order of mode

bool fill_slot(settings& settings, const setting_value& value) {
    settings.slot_ms = value.whole;
    return is_slot(value.number);
}

bool fill_quantile(settings& settings, const setting_value& value) {
    settings.quantile = value.number / 100;
    return true;
}

bool fill_budget(settings& settings, const setting_value& value) {
    settings.has_budget = !value.is_null;
    if (settings.has_budget) settings.budget_percent = value.number;
    return true;
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
    setting_row{"lead_ms", text::a_whole(lead_bounds_ms.least, lead_bounds_ms.most), to<&settings::lead_ms>, "300000",
                "the start-up time"},
    setting_row{"quantile_percent", text::a_number(ranges::min_quantile_percent, ranges::max_quantile_percent),
                fill_quantile, "90", "how often the upper edge of the band should hold"},
    setting_row{"budget_percent",
                {.form = text::value_form::number,
                 .min = ranges::min_budget_percent,
                 .max = ranges::max_budget_percent,
                 .may_be_null = true},
                fill_budget,
                "5",
                "extra replica-hours that the forecast may cost, over about a week; null: no limit"},
    setting_row{"max_raise_percent", text::a_number(ranges::max_raise_percent_min, ranges::max_raise_percent_max),
                to<&settings::max_raise_percent>, "200", "the floor is at most this much above the reactive size"},
    setting_row{"warmup_ms", text::a_whole(ranges::min_warmup_ms, ranges::max_warmup_ms), to<&settings::warmup_ms>,
                "86400000", "how long the forecast is scored before its first use"},
    setting_row{"mode", text::a_choice(mode_names), fill_mode, "act",
                "observe learns, scores and reports, and raises nothing"},
};

}  // namespace

std::string_view name(mode mode) noexcept { return mode_names[mode == forecast::mode::observe ? 0 : 1]; }

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

}  // namespace gputide::forecast
