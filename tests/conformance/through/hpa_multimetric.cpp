// hpa-multimetric: whole controller passes, with pods and their metrics, and how their write went.

#include "gputide/gputide.h"
#include "protocol/structs.hpp"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace conformance::hpa_multimetric {
namespace {

bool reads_pods(const json& metric) {
    const std::string type = metric.at("type");
    return type == "Pods" || type == "Resource" || type == "ContainerResource";
}

json target_of(const json& target) {
    if (target.contains("averageUtilization"))
        return utilization_target(target.at("averageUtilization").get<std::int64_t>());
    if (target.contains("averageValue_milli"))
        return average_target(target.at("averageValue_milli").get<std::int64_t>());
    return value_target(target.at("value_milli").get<std::int64_t>());
}

json manifest_of(const json& test_case) {
    const json annotations = hpa_annotations_of(test_case);
    json spec = {
        {"minReplicas", test_case.at("min")}, {"maxReplicas", test_case.at("max")}, {"metrics", json::array()}};
    for (const json& metric : test_case.at("metrics")) {
        const std::string name = metric.value("name", "metric");
        spec["metrics"].push_back(manifest_metric({.type = metric.at("type"),
                                                   .name = name,
                                                   .resource = metric.value("resource", name),
                                                   .container = metric.value("container", "main"),
                                                   .target = target_of(metric.at("target"))}));
    }
    if (has(test_case, "behavior")) spec["behavior"] = test_case.at("behavior");
    json out = horizontal_pod_autoscaler_of(spec, annotations);
    out["metadata"]["namespace"] = "ml";  // as the messages of the cases have it
    return out;
}

json state_call(const json& object) {
    json past = json::object();
    if (has(object, "history")) past["history"] = history_json(object.at("history"));
    for (const char* events : {"up_events", "down_events"})
        if (has(object, events)) past[events] = events_json(object.at(events));
    if (object.contains("scaled_to_zero")) {
        const bool is_own_zero = object.at("scaled_to_zero");
        past["scaled_to_zero"] = is_own_zero;
        past["conditions"] = {{{"type", "ScaledToZero"},
                               {"status", is_own_zero ? "True" : "False"},
                               {"reason", is_own_zero ? "ScaledToZero" : "NotScaledToZero"},
                               {"since_ms", hpa_now_ms}}};
    }
    return past.empty() ? new_state_call() : load_state_call(past);
}

json sample_of(const json& metric) {
    if (metric.contains("error"))
        return {{"state", GPUTIDE_SAMPLE_FAILED}, {"status", GPUTIDE_E_UNAVAILABLE}, {"message", metric.at("error")}};
    if (metric.contains("value_milli")) return milli_sample(metric.at("value_milli").get<std::int64_t>());
    if (metric.contains("series_milli")) return series_sample(metric.at("series_milli"));
    return {{"state", GPUTIDE_SAMPLE_NOT_GIVEN}};
}

// By pod index; surplus metrics belong to unknown pods, surplus pods have only a request or nothing.
void add_pod_samples(json& to, const json& metric, std::size_t index, std::size_t pods) {
    const json values = metric.value("pod_metrics_milli", json::array());
    const json requests = metric.value("pod_requests_milli", json::array());
    for (std::size_t i = 0; i < std::max(values.size(), requests.size()); ++i) {
        const bool has_value = i < values.size() && !values[i].is_null();
        const bool has_request = i < requests.size() && !requests[i].is_null();
        if (!has_value && !has_request) continue;
        json sample = {{"metric", index}, {"pod", i < pods ? i + 1 : 0}, {"time_ms", hpa_now_ms}};
        sample["value_milli"] = json_integer(has_value ? values[i].get<std::int64_t>() : GPUTIDE_NO_VALUE);
        if (has_request) sample["request_milli"] = json_integer(requests[i].get<std::int64_t>());
        to.push_back(sample);
    }
}

json seen_of(const json& object) {
    const json& pods = object.at("pods");
    std::uint32_t flags = GPUTIDE_OBSERVED_STATUS | GPUTIDE_OBSERVED_READY | GPUTIDE_OBSERVED_PODS;
    if (object.contains("scale_get_error")) flags |= GPUTIDE_SCALE_UNREADABLE;
    json out = {{"now_ms", hpa_now_ms},
                {"flags", flags},
                {"current_replicas", object.at("spec_replicas")},
                {"status_replicas", object.at("status_replicas")},
                {"ready_replicas", count_ready(pods)},
                {"pods", observed_pods(pods)},
                {"samples", json::array()},
                {"pod_samples", json::array()}};
    for (const json& metric : object.at("metrics")) {
        add_pod_samples(out["pod_samples"], metric, out["samples"].size(), pods.size());
        out["samples"].push_back(sample_of(metric));
    }
    return out;
}

// The error of a case is what the HPA's metrics client returned; the library adds what its own client says around it.
std::string without_client(std::string message) {
    for (const char* api : {"custom", "external", "resource"}) {
        const std::string said = "unable to fetch metrics from " + std::string(api) + " metrics API: ";
        if (const auto at = message.find(said); at != std::string::npos) message.erase(at, said.size());
    }
    return message;
}

void compare_messages(differences& out, const json& expect, const json& report) {
    json actual = json::object();
    for (const json& condition : report.at("conditions"))
        actual[condition.at("type").get<std::string>()] = without_client(condition.value("message", ""));
    const json named = expect.value("messages", json::object());
    for (const auto& [name, wanted] : named.items())
        expect_equal(out, name + " message", wanted, actual.value(name, json()));
}

void compare_conditions(differences& out, const json& expect, const json& conditions) {
    json actual = json::object();
    for (const json& condition : conditions)
        actual[condition.at("type").get<std::string>()] = {condition.at("status"), condition.at("reason")};
    const json named = expect.value("conditions", json::object());  // items() borrows it
    for (const auto& [name, wanted] : named.items()) expect_equal(out, name, wanted, actual.value(name, json()));
    for (const json& gone : expect.value("conditions_absent", json::array())) {
        if (actual.contains(gone.get<std::string>()))
            out.push_back(gone.get<std::string>() + ": expected absent, got " +
                          actual.at(gone.get<std::string>()).dump());
    }
}

// The pass's own error, or that of the scale subresource, which the host has met.
std::string error_of(const json& object, const json& report) {
    for (const char* member : {"scale_get_error", "scale_update_error"}) {
        if (object.contains(member))
            return object.at(member).is_string() ? object.at(member).get<std::string>() : member;
    }
    return report.value("error", "");
}

differences check_reconcile(const json& test_case, const json&, c_api& library) {
    json calls = {open_policy_call(manifest_of(test_case)), state_call(test_case),
                  decide_call(seen_of(test_case), "pass")};
    const json report = report_of(library.last_result(calls));
    const json& current = report.at("current_replicas");
    const bool wanted = report.at("desired_replicas") != current;
    const bool fails = test_case.contains("scale_update_error");
    if (wanted) calls.push_back(record_call("pass", hpa_now_ms, !fails));
    calls.push_back(describe_state_call());
    const json state = described_state(library.last_result(calls));

    const json& expect = test_case.at("expect");
    const json actual = {{"desired_replicas", fails ? current : report.at("desired_replicas")},
                         {"rescaled", wanted && !fails}};
    differences out;
    for (const char* name : {"desired_replicas", "rescaled"}) {
        if (expect.contains(name)) expect_equal(out, name, expect.at(name), actual.at(name));
    }
    compare_conditions(out, expect, state.at("conditions"));
    compare_messages(out, expect, report);
    if (expect.contains("error"))
        expect_contains(out, "error", expect.at("error").get<std::string>(), error_of(test_case, report));
    return out;
}

// The causes of a refusal, which the library's codes tell apart.
json cause_of(const std::string& code) {
    if (code == "missing-field") return "FieldValueRequired";
    if (code == "forbidden-value") return "FieldValueForbidden";
    return code == "unsupported-value" ? "FieldValueNotSupported" : "FieldValueInvalid";
}

// One finding for each field that is refused, of a cause that the API server has for it, and none for another field.
differences check_admission(const json& test_case, const json&, c_api& library) {
    const std::vector<manifest_error> errors =
        errors_of(library, horizontal_pod_autoscaler_of(test_case.at("spec"), hpa_annotations_of(test_case)));
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), errors.empty());
    const json causes = expect.value("causes", json::array());
    for (const json& cause : causes) {
        const bool found = std::any_of(errors.begin(), errors.end(),
                                       [&](const manifest_error& error) { return error.path == cause.at(0); });
        if (!found) out.push_back("expected an error at " + cause.at(0).get<std::string>());
    }
    for (const manifest_error& error : errors) {
        const json found = {error.path, cause_of(error.code)};
        if (std::find(causes.begin(), causes.end(), found) == causes.end())
            out.push_back("unexpected cause " + found.dump());
    }
    return out;
}

bool has_outside_metric(const json& object) {
    const json& metrics = object.at("metrics");
    return std::any_of(metrics.begin(), metrics.end(), [](const json& metric) { return !reads_pods(metric); });
}

reach reach_of_metric(const json& metric) {
    const std::string type = metric.at("type");
    if (!reads_pods(metric) && type != "External" && type != "Object") return reach::none;  // no manifest may name it
    if (metric.contains("value_milli") && !fits_double(metric.at("value_milli").get<std::int64_t>()))
        return reach::none;
    if (metric.contains("series_milli") && !sum_fits_double(metric.at("series_milli"))) return reach::none;
    return reach::whole;
}

reach reach_of_reconcile(const json& test_case) {
    for (const json& metric : test_case.at("metrics")) {
        if (reach_of_metric(metric) == reach::none) return reach::none;
    }
    const bool waits_at_zero = test_case.at("min") == 0 && !has_outside_metric(test_case);  // no API server takes that
    return !waits_at_zero && can_observe(test_case.at("pods")) ? reach_of_settings(test_case) : reach::none;
}

const registration passes{"hpa-multimetric", {"reconcile"}, &check_reconcile, &reach_of_reconcile};
const registration admission{"hpa-multimetric", {"hpa_admission"}, &check_admission};

}  // namespace
}  // namespace conformance::hpa_multimetric

// hpa-multimetric, kind passes: when an HPA is looked at.  A second of the case is a decision; what changes an object opens its manifest
// again and goes on with the saved state, as a host does.  A new object has another creationTimestamp.

namespace conformance::hpa_passes {
namespace {

struct object {
    std::int64_t created_s = 0;
    int specs = 0;     // how often its spec was changed
    int statuses = 0;  // and anything else of it
};

std::string timestamp(std::int64_t at_s) {
    const std::time_t at = hpa_now_ms / 1000 + at_s;
    std::tm fields{};
    gmtime_r(&at, &fields);
    std::ostringstream out;
    out << std::put_time(&fields, "%Y-%m-%dT%H:%M:%SZ");
    return out.str();
}

json manifest_of(const json& test_case, const object& at) {
    constexpr int max_replicas = 10;
    const json annotations = {{"gputide.io/sync-period", test_case.at("resync_s").dump() + "s"},
                              {"gputide.io/hpa-version", hpa_version_of(test_case)},
                              {"example.com/status", std::to_string(at.statuses)}};
    const json metric = manifest_metric({.type = "External", .target = average_target(5000)});
    json out = horizontal_pod_autoscaler_of(
        {{"minReplicas", 1}, {"maxReplicas", max_replicas + at.specs}, {"metrics", {metric}}}, annotations);
    out["metadata"]["creationTimestamp"] = timestamp(at.created_s);
    return out;
}

// Decides each second from `from_s` to before `to_s`; returns the saved state, and adds the seconds at which the HPA half ran.
std::string run(const json& manifest, const std::string& state, std::int64_t from_s, std::int64_t to_s, json& passes,
                c_api& library) {
    json calls = {open_policy_call(manifest)};
    calls.push_back(state.empty()
                        ? new_state_call()
                        : json{{"call", "state.load"}, {"as", "state"}, {"policy", "policy"}, {"text", state}});
    const std::size_t before = calls.size();
    for (std::int64_t at_s = from_s; at_s < to_s; ++at_s) {
        calls.push_back(decide_call(
            {{"now_ms", hpa_now_ms + at_s * 1000}, {"current_replicas", 2}, {"samples", {milli_sample(10'000)}}}));
    }
    calls.push_back({{"call", "state.save"}, {"policy", "policy"}, {"state", "state"}});
    const json results = library.results(calls);
    for (std::size_t i = before; i + 1 < results.size(); ++i) {
        const auto flags = worked(results[i]).at("decision").at("flags").get<std::uint32_t>();
        if ((flags & GPUTIDE_DECIDED_HPA) != 0) passes.push_back(from_s + static_cast<std::int64_t>(i - before));
    }
    return worked(results.back()).at("text").get<std::string>();
}

void apply(const json& step, object& at) {
    const std::string what = step.at("do");
    if (what == "create") at = {step.at("t").get<std::int64_t>(), 0, 0};
    if (what == "spec") ++at.specs;
    if (what == "status") ++at.statuses;
}

differences check(const json& test_case, const json&, c_api& library) {
    json passes = json::array();
    object at;
    std::string state;
    bool exists = false;
    const json& steps = test_case.at("steps");
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        apply(steps[i], at);
        exists = steps[i].at("do") != "delete" && (exists || steps[i].at("do") == "create");
        if (exists) {
            state = run(manifest_of(test_case, at), state, steps[i].at("t").get<std::int64_t>(),
                        steps[i + 1].at("t").get<std::int64_t>(), passes, library);
        }
    }
    differences out;
    expect_equal(out, "passes_s", test_case.at("expect").at("passes_s"), passes);
    return out;
}

const registration kinds{"hpa-multimetric", {"passes"}, &check};

}  // namespace
}  // namespace conformance::hpa_passes
