// keda-fallback, kind formula_variable, and of fallback and formula what no observation says: other metrics' health beside
// one's own, a formula that is only named, numbers beyond a double.  In the strict profile.
#include "base/text.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/saturate.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"

#include <map>

namespace conformance::keda_fallback {
namespace {

using namespace gputide::decide;

json milli_text(std::int64_t milli) { return std::to_string(milli); }

// A policy for reads of `metric` alone; the formula is named by its block and not evaluated here.
policy policy_for_reads(const json& object) {
    policy out;
    out.scaling.extra.profile = gputide::manifest::profile::strict;
    out.scaling.fallback = fallback_of(object.at("fallback"));
    if (object.contains("modifiers")) {
        out.scaling.modifiers = modifiers_of(object.at("modifiers"));
        out.composite_target = gputide::parse_go_float(out.scaling.modifiers->target).value_or(0.0);
    }
    metric_policy metric;
    metric.name = object.at("metric").get<std::string>();
    if (object.contains("target")) {
        metric.type = target_type_of(object.at("target").at("type").get<std::string>());
        metric.target_milli = object.at("target").at("milli").get<std::int64_t>();
    }
    out.metrics = {metric};
    out.fallback_on = fallback_is_valid(out.scaling);
    return out;
}

observation observation_of(const json& object) {
    observation out;
    out.scale_readable = object.contains("currentReplicas");
    out.spec_replicas = object.value("currentReplicas", 0);
    out.ready_replicas = object.value("readyPods", 0);
    return out;
}

metric_read read_from(const json& object, const char* value) {
    if (object.at("error").get<bool>()) return {.error = true};
    return {.value_milli = *gputide::parse_int64(object.at(value).get<std::string>())};
}

std::map<std::string, metric_health> health_of(const json& entries) {
    std::map<std::string, metric_health> out;
    for (const auto& [name, entry] : entries.items()) {
        out[name].failures = entry.at("failures").get<std::int32_t>();
        out[name].failing = entry.at("status") == "Failing";
    }
    return out;
}

json health_json(const std::map<std::string, metric_health>& health) {
    json out = json::object();
    for (const auto& [name, entry] : health)
        out[name] = {{"failures", entry.failures}, {"status", entry.failing ? "Failing" : "Happy"}};
    return out;
}

json condition_json(truth condition) { return condition == truth::absent ? json() : json(condition == truth::yes); }

json passed_json(const passed_metric& passed) {
    return {{"error", passed.error},
            {"metric_milli", passed.error ? json() : milli_text(passed.value_milli)},
            {"fallback_active", passed.fallback_active},
            {"placeholder", passed.placeholder},
            {"failures", passed.failures}};
}

void store(metric_health& to, const passed_metric& from) {
    to.failures = from.failures;
    to.failing = from.failing;
}

// Only what the case expects is compared: a case says nothing of `placeholder` if it does not matter.
void compare_expected(differences& out, const json& expect, const json& got) {
    for (const auto& [name, value] : expect.items())
        if (got.contains(name)) expect_equal(out, name, value, got.at(name));
}

differences check_fallback(const json& test_case, const json&) {
    const policy by = policy_for_reads(test_case);
    std::map<std::string, metric_health> health = health_of(test_case.at("health"));
    const std::string name = test_case.at("metric");
    const metric_health before = health.contains(name) ? health.at(name) : metric_health{};
    const passed_metric passed =
        pass_metric(by, 0, read_from(test_case, "value"), before, observation_of(test_case), counting::on);
    if (by.fallback_on) store(health[name], passed);
    std::vector<metric_health> entries;
    entries.reserve(health.size());
    for (const auto& [key, entry] : health) entries.push_back(entry);
    json got = passed_json(passed);
    got["health"] = health_json(health);
    got["fallback_condition"] = condition_json(fallback_condition(by, entries));
    differences out;
    compare_expected(out, test_case.at("expect"), got);
    return out;
}

differences check_variable(const json& test_case, const json&) {
    policy by;
    by.scaling.fallback = fallback_of(test_case.at("fallback"));
    passed_metric metric;
    metric.value_milli = *gputide::parse_int64(test_case.at("metric_milli").get<std::string>());
    if (!test_case.at("failures").is_null()) metric.failures = test_case.at("failures").get<std::int32_t>();
    const std::optional<double> value = formula_value(by, metric);
    differences out;
    expect_equal(out, "value", test_case.at("expect").at("value"), value ? json(*value) : json());
    return out;
}

struct outcome {
    composite value;
    std::string failure;
};

// The case's variables are the triggers' names; their values go straight into the formula.
outcome evaluate(const json& object) {
    gputide::manifest::scaling spec;
    spec.extra.profile = gputide::manifest::profile::strict;
    spec.fallback = fallback_of(object.value("fallback", json()));
    spec.modifiers = modifiers_of(object);
    std::vector<metric_policy> metrics;
    std::vector<formula_variable> variables;
    for (const auto& [name, value] : object.at("variables").items()) {
        metrics.push_back(metric_of("prometheus", name, metrics.size()));
        variables.push_back({value.is_null() ? 0.0 : value.get<double>(), value.is_null()});
    }
    const auto by = make_policy(std::move(spec), std::move(metrics));
    if (!by) return {{}, by.failure().message};
    const composite made = composite_of_result(*by, by->formula->evaluate(variables));
    return {made, composite_failure_text(made)};
}

differences check_formula(const json& test_case, const json&) {
    const outcome got = evaluate(test_case);
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "error", expect.value("error", false), !got.value.has_value);
    if (!out.empty() && !got.failure.empty()) out.push_back("failure: " + got.failure);
    if (out.empty() && got.value.has_value)
        expect_equal(out, "composite_milli", expect.at("composite_milli"), milli_text(got.value.value_milli));
    if (expect.contains("error_contains"))
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure);
    return out;
}

const registration reads{"keda-fallback", {"fallback"}, &check_fallback};
const registration variables{"keda-fallback", {"formula_variable"}, &check_variable};
const registration formulas{"keda-fallback", {"formula"}, &check_formula};

}  // namespace
}  // namespace conformance::keda_fallback
