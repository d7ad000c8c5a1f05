#include "forecast/settings.hpp"

#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/text.hpp"

#include <simdjson.h>

#include <cmath>

namespace gputide::forecast {

namespace {

namespace dom = simdjson::dom;

error wrong(std::string_view name, const std::string& expected) {
    return fail_at(status::invalid, std::string(name), format_text("{}: expected {}", name, expected));
}

result<void> take(std::string_view name, dom::element value, const bounds& bounds, double& into) {
    if (value.get(into) == simdjson::SUCCESS && bounds.hold(into)) return {};
    return wrong(name, format_text("a number of {} to {}", shortest(bounds.least), shortest(bounds.most)));
}

result<void> take_whole(std::string_view name, dom::element value, const bounds& bounds, std::int64_t& into) {
    double number = 0.0;
    if (result<void> ok = take(name, value, bounds, number); !ok) return ok;
    if (number != std::floor(number)) return wrong(name, "a whole number of milliseconds");
    into = static_cast<std::int64_t>(number);
    return {};
}

result<void> take_slot(dom::element value, settings& settings) {
    double slot_ms = 0.0;
    if (value.get(slot_ms) != simdjson::SUCCESS || !is_slot(slot_ms)) return wrong("slot_ms", "60000 or 300000");
    settings.slot_ms = static_cast<std::int64_t>(slot_ms);
    return {};
}

result<void> take_quantile(dom::element value, settings& settings) {
    double percent = 0.0;
    if (auto ok = take("quantile_percent", value, quantile_bounds_percent, percent); !ok) return ok;
    settings.quantile = percent / 100;
    return {};
}

result<void> take_budget(dom::element value, settings& settings) {
    settings.has_budget = !value.is_null();
    if (!settings.has_budget) return {};
    return take("budget_percent", value, budget_bounds_percent, settings.budget_percent);
}

result<void> take_mode(dom::element value, settings& settings) {
    std::string_view word;
    if (value.get(word) == simdjson::SUCCESS) {
        for (const mode choice : {mode::observe, mode::act}) {
            if (word != name(choice)) continue;
            settings.mode = choice;
            return {};
        }
    }
    return wrong("mode", "observe or act");
}

result<void> take_member(std::string_view name, dom::element value, settings& settings) {
    if (name == "slot_ms") return take_slot(value, settings);
    if (name == "lead_ms") return take_whole(name, value, lead_bounds_ms, settings.lead_ms);
    if (name == "quantile_percent") return take_quantile(value, settings);
    if (name == "budget_percent") return take_budget(value, settings);
    if (name == "max_raise_percent") return take(name, value, max_raise_bounds_percent, settings.max_raise_percent);
    if (name == "warmup_ms") return take_whole(name, value, warmup_bounds_ms, settings.warmup_ms);
    if (name == "mode") return take_mode(value, settings);
    return fail_at(status::invalid, std::string(name),
                   format_text("forecast settings: there is no {}", in_quotes(name)));
}

}  // namespace

std::string_view name(mode mode) noexcept { return mode == mode::observe ? "observe" : "act"; }

std::int64_t slots_ahead(const settings& settings) noexcept {
    return 1 + (settings.lead_ms + settings.slot_ms - 1) / settings.slot_ms;
}

result<settings> read_settings(std::string_view json) {
    constexpr std::size_t most_bytes = 65'536;
    settings out;
    if (trim(json).empty()) return out;
    if (json.size() > most_bytes) return fail(status::limit, "forecast settings: more than 64 KiB");
    dom::parser parser;
    dom::object members;
    if (parse_json(parser, json, members) != simdjson::SUCCESS) {
        return fail(status::invalid, "forecast settings: expected a JSON object, got " + in_quotes(json, 60));
    }
    for (const auto& [name, value] : members) {
        if (result<void> ok = take_member(name, value, out); !ok) return std::move(ok).failure();
    }
    return out;
}

}  // namespace gputide::forecast
