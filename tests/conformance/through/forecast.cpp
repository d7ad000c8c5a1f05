// forecast: settings, whole series and whole passes, asked of a forecast that the C API opens.
#include "through/forecast.hpp"

#include "gputide/plan.h"
#include "protocol/structs.hpp"
#include "through/manifests.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace conformance {
namespace {

// ---- settings ---------------------------------------------------------------------------------------------------------
struct setting {
    const char* in_case;
    const char* at_c_api;
    double factor;
};
constexpr setting renamed[] = {{"slot_s", "slot_ms", 1000},
                               {"lead_s", "lead_ms", 1000},
                               {"warmup_s", "warmup_ms", 1000},
                               {"quantile", "quantile_percent", 100}};

json open_call(const json& params) {
    json settings = params;
    for (const setting& entry : renamed) {
        if (!params.contains(entry.in_case)) continue;
        settings.erase(entry.in_case);
        settings[entry.at_c_api] = params.at(entry.in_case).get<double>() * entry.factor;
    }
    return {{"call", "forecast.open"}, {"as", "forecast"}, {"settings", settings.dump()}};
}

std::string name_in_case(const std::string& at_c_api) {
    for (const setting& entry : renamed) {
        if (at_c_api == entry.at_c_api) return entry.in_case;
    }
    return at_c_api;
}

differences check_params(const json& test_case, const json&, c_api& library) {
    const json result = library.result(open_call(test_case.at("input")));
    json got = "ok";
    if (result.contains("error")) {
        got = {{"error", name_in_case(result.at("error").at("where").get<std::string>())}};
    }
    return forecast_differences(test_case, test_case.at("expect"), got);
}

// ---- calls on one forecast --------------------------------------------------------------------------------------------
json of_forecast(const char* call, json arguments = json::object()) {
    arguments["call"] = call;
    arguments["forecast"] = "forecast";
    return arguments;
}

json step_call(std::int64_t now_ms, const json& load) {
    return of_forecast("forecast.add", {{"now_ms", now_ms}, {"load", load.is_null() ? json("NaN") : load}});
}

// The text between two lines of calls is all that a reload leaves of a forecast.
class asked_forecast {
  public:
    asked_forecast(c_api& library, const json& params) : library_(library), open_(open_call(params)) { begin(); }

    void call(json object) { calls_.push_back(std::move(object)); }
    // The result of this call, once run() was called.
    void call(json object, const std::string& name) {
        names_[calls_.size()] = name;
        call(std::move(object));
    }

    void reload() {
        call(of_forecast("forecast.save"), "saved");
        run();
        begin();
        call(of_forecast("forecast.load", {{"text", results_.at("saved").at("text")}}));
    }

    void run() {
        const json results = library_.results(calls_);
        for (const json& entry : results) worked(entry);
        for (const auto& [at, name] : names_) results_[name] = results.at(at);
        names_.clear();
    }

    const json& result(const std::string& name) const { return results_.at(name); }

  private:
    void begin() { calls_ = json::array({open_}); }

    c_api& library_;
    json open_;
    json calls_;
    std::map<std::size_t, std::string> names_;
    std::map<std::string, json> results_;
};

// ---- what is read of it -------------------------------------------------------------------------------------------------
json member(const json& from, const char* name, double factor = 1) {
    if (!from.contains(name)) return {};
    return factor == 1 ? from.at(name) : json(from.at(name).get<double>() * factor);
}

json described(const json& result) {
    const json said = json::parse(text_in(result.at("json")));
    json out;
    for (const char* name : {"value", "forecast", "upper", "ask", "floor_load", "state", "scored", "error",
                             "error_last_value", "parts", "weights", "band"}) {
        out[name] = member(said, name);
    }
    out["skill"] = member(said, "skill_percent", 0.01);
    out["held"] = member(said, "held_percent", 0.01);
    out["spent"] = member(said, "extra_percent", 0.01);
    out["trim"] = member(said, "trimmed_percent", 0.01);
    return out;
}

std::set<std::size_t> numbers_in(const json& input, const char* name) {
    const auto list = input.value(name, std::vector<std::size_t>{});
    return {list.begin(), list.end()};
}

differences check_series(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    asked_forecast forecast(library, input.value("params", json::object()));
    const auto at = numbers_in(input, "at");
    const auto reloads = numbers_in(input, "reload");
    std::map<std::size_t, std::int64_t> skips_ms;
    for (const json& skip : input.value("skip", json::array())) {
        skips_ms[skip.at("after").get<std::size_t>()] = skip.at("s").get<std::int64_t>() * 1000;
    }
    std::int64_t now_ms = input.at("t0_s").get<std::int64_t>() * 1000;
    const json& values = input.at("values");
    for (std::size_t i = 0; i < values.size(); ++i) {
        forecast.call(step_call(now_ms, values.at(i)));
        if (at.contains(i)) forecast.call(of_forecast("forecast.describe"), std::to_string(i));
        if (reloads.contains(i)) forecast.reload();
        now_ms += input.at("step_s").get<std::int64_t>() * 1000 + skips_ms[i];
    }
    forecast.run();
    json got = json::object();
    for (const std::size_t i : at) got[std::to_string(i)] = described(forecast.result(std::to_string(i)));
    return forecast_differences(test_case, test_case.at("expect"), got);
}

json decided(const json& floor, const json& description) {
    json out = described(description);
    const auto need = floor.at("need_replicas").get<std::int32_t>();
    out["replicas"] = floor.at("replicas");
    out["need"] = need < 0 ? json() : json(need);
    out["reason"] = gputide_floor_reason_name(floor.at("reason").get<std::int32_t>());
    out["state"] = gputide_forecast_state_name(floor.at("state").get<std::int32_t>());
    out["floor_load"] = floor.at("floor_load") == "NaN" ? json() : floor.at("floor_load");
    return out;
}

differences check_passes(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    const auto at = numbers_in(input, "at");
    asked_forecast forecast(library, input.value("params", json::object()));
    std::int64_t now_ms = input.at("t0_s").get<std::int64_t>() * 1000;
    for (std::size_t i = 0; i < input.at("loads").size(); ++i) {
        const auto reactive = input.at("reactive").at(i).get<std::int32_t>();
        const json shadow = input.contains("shadow") ? input.at("shadow").at(i) : json(reactive);
        forecast.call(step_call(now_ms, input.at("loads").at(i)));
        forecast.call(of_forecast("forecast.floor", {{"as", "floor"},
                                                     {"target", input.at("target")},
                                                     {"reactive_replicas", reactive},
                                                     {"current_replicas", std::max(1, reactive)},
                                                     {"max_replicas", input.at("max")}}),
                      "floor " + std::to_string(i));
        if (at.contains(i)) forecast.call(of_forecast("forecast.describe"), std::to_string(i));
        forecast.call(of_forecast("forecast.charge", {{"floor", "floor"}, {"shadow_replicas", shadow}}));
        now_ms += input.at("step_s").get<std::int64_t>() * 1000;
    }
    forecast.run();
    json got = json::object();
    for (const std::size_t i : at) {
        const std::string name = std::to_string(i);
        got[name] = decided(forecast.result("floor " + name).at("floor"), forecast.result(name));
    }
    return forecast_differences(test_case, test_case.at("expect"), got);
}

const registration settings{"forecast", {"params"}, &check_params};
const registration series{"forecast", {"series"}, &check_series};
const registration all_passes{"forecast", {"passes"}, &check_passes};

}  // namespace

differences forecast_differences(const json& object, const json& expect, const json& got) {
    differences out;
    expect_equal(out, "", expect, got, {.tolerance = object.value("tol", 1e-9), .least = 1.0, .subset = true});
    return out;
}

}  // namespace conformance
