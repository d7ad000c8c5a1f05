// forecast: slots, profiles, the account and the floor through their formulas; the rest is asked at the C API.
#include "through/forecast.hpp"

#include "forecast/forecast.hpp"
#include "forecast/memory.hpp"
#include "frame/check.hpp"

#include <cmath>

namespace conformance::forecast {
namespace {

using namespace gputide::forecast;

settings settings_of(const json& params) {
    settings out;
    const auto set_ms = [&](const char* name, std::int64_t& ms) {
        if (params.contains(name)) ms = std::llround(params.at(name).get<double>() * 1000);
    };
    set_ms("slot_s", out.slot_ms);
    set_ms("lead_s", out.lead_ms);
    set_ms("warmup_s", out.warmup_ms);
    out.quantile_percent = 100 * params.value("quantile", out.quantile_percent / 100);
    out.max_raise_percent = params.value("max_raise_percent", out.max_raise_percent);
    if (params.contains("budget_percent")) {
        out.budget_percent.reset();
        if (const json& percent = params.at("budget_percent"); !percent.is_null())
            out.budget_percent = percent.get<double>();
    }
    if (params.value("mode", "act") == "observe") out.mode = mode::observe;
    return out;
}

json number_or_null(double value) { return is_none(value) ? json() : json(value); }
double number_of(const json& value) { return value.is_null() ? no_number : value.get<double>(); }

// ---- one formula each ------------------------------------------------------------------------------------------------

differences check_slots(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const settings by = settings_of(input.value("params", json::object()));
    open_slot open;
    json closed = json::array();
    for (const json& sample : input.at("samples")) {
        const std::int64_t now_ms = std::llround(sample.at(0).get<double>() * 1000);
        const slot_end end = enter(open, floor_div(now_ms, by.slot_ms), slots_ahead(by));
        if (end.passage == passage::ended) {
            closed.push_back({end.number, number_or_null(end.mean)});
            for (std::int64_t i = 1; i <= end.missing; ++i) closed.push_back({end.number + i, nullptr});
        }
        if (end.passage != passage::late) add_reading(open, number_of(sample.at(1)));
    }
    return forecast_differences(test_case, test_case.at("expect"), {{"closed", closed}, {"late", open.late}});
}

differences check_profile(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const auto ms = [&](const char* name) { return input.at(name).get<std::int64_t>() * 1000; };
    const profile_rule rule =
        profile_rule::of(ms("period_s"), ms("bucket_s"), ms("slot_s"), input.at("gain").get<double>());
    profile<336> learned;
    for (const json& update : input.at("updates")) {
        learn(rule, learned.view(), update.at(0).get<std::int64_t>(), update.at(1).get<double>());
    }
    json at = json::array();
    for (const json& slot : input.at("ask")) {
        at.push_back(number_or_null(value_at(rule, learned.means, learned.visits, slot.get<std::int64_t>())));
    }
    return forecast_differences(test_case, test_case.at("expect"), {{"at", at}});
}

differences check_account(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const settings by = settings_of(input);
    account spending;
    json got = json::array();
    for (const json& group : input.at("slots")) {
        const booking pass{group.at(0).get<double>(), group.at(1).get<double>(), 1};
        for (int i = 0; i < group.at(2).get<int>(); ++i) {
            end_slot(spending, pass, static_cast<double>(by.slot_ms) / 1000);
        }
        const purse left = purse_of(by, spending);
        got.push_back({{"spent", spent(spending)}, {"trim", left.trim}, {"stopped", left.is_spent}});
    }
    return forecast_differences(test_case, test_case.at("expect"), got);
}

state state_named(const std::string& word) {
    for (const state entry : {state::warming, state::off, state::spent, state::on}) {
        if (name(entry) == word) return entry;
    }
    throw std::runtime_error("no such state: " + word);
}

differences check_floor(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const auto reactive = input.at("reactive").get<std::int32_t>();
    const floor_result made = floor_of({.floor_load = number_of(input.at("floor_load")),
                                        .state = state_named(input.at("state").get<std::string>()),
                                        .target = input.at("target").get<double>(),
                                        .reactive = reactive,
                                        .current = input.value("current", reactive),
                                        .max = input.at("max").get<std::int32_t>()},
                                       settings_of(input));
    return forecast_differences(test_case, test_case.at("expect"),
                                {{"replicas", made.replicas},
                                 {"need", made.need < 0 ? json() : json(made.need)},
                                 {"reason", name(made.reason)}});
}

const registration slots{"forecast", {"slots"}, &check_slots};
const registration profiles{"forecast", {"profile"}, &check_profile};
const registration accounts{"forecast", {"account"}, &check_account};
const registration floors{"forecast", {"floor"}, &check_floor};

}  // namespace
}  // namespace conformance::forecast
