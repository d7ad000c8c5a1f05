// keda-prometheus, the prometheus trigger: parsing, requests, answers and metric specs.  All in the strict profile.

#include "gputide/gputide.h"
#include "protocol/structs.hpp"
#include "through/manifests.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <map>
#include <stdexcept>

namespace conformance::keda_prometheus {
namespace {

written_trigger prometheus_of(const json& test_case) {
    return trigger_of("prometheus", test_case.value("metadata", json::object()),
                      test_case.value("authParams", json::object()), test_case.value("podIdentityProvider", ""));
}

differences check_parse(const json& test_case, const json&, c_api& library) {
    return check_opening(library, prometheus_of(test_case), expected_of(test_case));
}

// ---- answers ----------------------------------------------------------------------------------------------------------
differences check_response(const json& test_case, const json&, c_api& library) {
    const json metadata = {{"serverAddress", "http://prometheus:9090"},
                           {"query", "up"},
                           {"threshold", "1"},
                           {"activationThreshold", json(test_case.value("activationThreshold", 0.0)).dump()},
                           {"ignoreNullValues", test_case.at("ignoreNullValues").get<bool>() ? "true" : "false"}};
    const reading came = parse_answer(library, trigger_of("prometheus", metadata), GPUTIDE_STRICT,
                                      test_case.at("http_status").get<std::int32_t>(), input_text(test_case, "body"));
    return compare_reading(test_case.at("expect"), came);
}

// ---- requests ---------------------------------------------------------------------------------------------------------
std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 2 >= text.size()) {
            out += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
    }
    return out;
}

std::multimap<std::string, std::string> decoded_query(std::string_view query) {
    std::multimap<std::string, std::string> out;
    while (!query.empty()) {
        const std::string_view piece = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), piece.size() + 1));
        const std::size_t equals = std::min(piece.find('='), piece.size());
        out.emplace(percent_decoded(piece.substr(0, equals)),
                    percent_decoded(piece.substr(std::min(equals + 1, piece.size()))));
    }
    return out;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

void compare_headers(differences& out, const json& expect, const json& request) {
    std::map<std::string, std::string> sent;
    for (const json& header : request.at("headers")) sent[lower(header.at("name"))] = header.at("value");
    const json wanted = expect.value("headers", json::object());  // items() borrows it
    for (const auto& [name, value] : wanted.items()) {
        const auto found = sent.find(lower(name));
        expect_equal(out, "header " + name, value, found == sent.end() ? json() : json(found->second));
    }
    for (const json& name : expect.value("absent_headers", json::array())) {
        if (sent.count(lower(name)) != 0) out.push_back("header " + name.dump() + ": expected none");
    }
}

// "2026-03-04T05:06:07Z"
std::int64_t unix_ms(const std::string& instant) {
    std::tm parts{};
    if (::strptime(instant.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr)
        throw std::invalid_argument("not an instant in whole seconds: " + instant);
    return static_cast<std::int64_t>(::timegm(&parts)) * 1000;
}

differences check_request(const json& test_case, const json&, c_api& library) {
    const json result = library.last_result({open_source_call(prometheus_of(test_case), GPUTIDE_STRICT),
                                             {{"call", "source.request"},
                                              {"source", "source"},
                                              {"now_ms", unix_ms(test_case.at("now").get<std::string>())}}});
    const json request = json::parse(worked(result).at("json").get<std::string>());
    const json& expect = test_case.at("expect");
    const auto url = request.at("url").get<std::string>();
    const std::size_t path = url.find('/', url.find("://") + 3);
    const std::size_t question = url.find('?', path);
    const std::string raw_query = url.substr(question + 1);
    std::multimap<std::string, std::string> wanted;
    for (const auto& [name, value] : expect.at("query").items()) wanted.emplace(name, value.get<std::string>());
    differences out;
    expect_equal(out, "path", expect.at("path"), url.substr(path, question - path));
    expect_equal(out, "query", json(wanted), json(decoded_query(raw_query)));
    if (expect.contains("raw_query_part"))
        expect_contains(out, "raw query", expect.at("raw_query_part").get<std::string>(), raw_query);
    compare_headers(out, expect, request);
    return out;
}

// ---- values as the HPA is told them ---------------------------------------------------------------------------------
differences check_quantity(const json& test_case, const json&, c_api& library) {
    const json sample = {{"value", std::stod(test_case.at("value").get<std::string>())}};
    const judged decided = judge_sample(library, trigger_of("values", {{"threshold", "1"}}), GPUTIDE_STRICT, sample);
    differences out;
    expect_equal(out, "milli", test_case.at("expect").at("milli"),
                 decided.milli.is_null() ? json() : json(std::to_string(integer_in(decided.milli))));
    return out;
}

// A sample is finite, and thousandths of a count fit 64 bits.
reach reach_of_value(const json& test_case) {
    const double value = std::stod(test_case.at("value").get<std::string>());
    return std::isfinite(value) && std::fabs(value) < 9.2e15 ? reach::whole : reach::none;
}

// ---- metric specs -----------------------------------------------------------------------------------------------------
// The trigger at its place in the list; those before it are pushed ones.
json triggers_with(const json& trigger, std::size_t index) {
    json out = json::array();
    while (out.size() < index) out.push_back({{"type", "values"}, {"metadata", {{"threshold", "1"}}}});
    out.push_back(trigger);
    return out;
}

differences check_metric_spec(const json& test_case, const json&, c_api& library) {
    const auto index = test_case.at("triggerIndex").get<std::size_t>();
    json trigger = trigger_of("prometheus", {{"serverAddress", "http://prometheus:9090"},
                                             {"query", "up"},
                                             {"threshold", test_case.at("threshold").dump()}})
                       .trigger;
    if (test_case.contains("metricType")) trigger["metricType"] = test_case.at("metricType");
    const json spec = {{"triggers", triggers_with(trigger, index)}};
    const json results = library.results({open_policy_call(scaled_object_of(spec), GPUTIDE_STRICT),
                                          {{"call", "policy.describe"}, {"policy", "policy"}}});
    const json& expect = test_case.at("expect");
    differences out = compare_opening(expect, message_of(results[0]));
    if (!out.empty() || !expect.at("ok").get<bool>()) return out;
    const json metric = json::parse(worked(results[1]).at("json").get<std::string>()).at("metrics").at(index);
    expect_equal(out, "name", expect.at("name"), metric.at("metric_name"));
    expect_equal(out, "target_type", expect.at("target_type"), metric.at("type"));
    const auto milli = std::llround(number_of(metric.at("target")) * 1000);
    expect_equal(out, "target_milli", expect.at("target_milli"), std::to_string(milli));
    return out;
}

reach reach_of_parse(const json& test_case) { return can_open(test_case) ? reach::whole : reach::none; }

const registration parsing{"keda-prometheus", {"prom_parse"}, &check_parse, &reach_of_parse};
const registration answers{"keda-prometheus", {"prom_response"}, &check_response};
const registration requests{"keda-prometheus", {"prom_request"}, &check_request};
const registration quantities{"keda-prometheus", {"quantity"}, &check_quantity, &reach_of_value};
const registration metric_specs{"keda-prometheus", {"metric_spec"}, &check_metric_spec};

}  // namespace
}  // namespace conformance::keda_prometheus

// keda-prometheus, the triggers azure-monitor and azure-log-analytics: parsing and answers, in the strict profile.

namespace conformance::keda_azure {
namespace {

differences check_parse(const json& test_case, const char* type, c_api& library) {
    const written_trigger written =
        trigger_of(type, test_case.value("metadata", json::object()), test_case.value("authParams", json::object()),
                   test_case.value("podIdentityProvider", ""));
    return check_opening(library, written, test_case.at("expect"));
}

differences check_monitor_parse(const json& test_case, const json&, c_api& library) {
    return check_parse(test_case, "azure-monitor", library);
}

differences check_logs_parse(const json& test_case, const json&, c_api& library) {
    return check_parse(test_case, "azure-log-analytics", library);
}

// The resource's id and the interval are looked at inside.
reach reach_of_parse(const json& test_case) {
    if (!can_open(test_case)) return reach::none;
    const json& expect = test_case.at("expect");
    return expect.contains("resource") || expect.contains("interval") ? reach::part : reach::whole;
}

constexpr const char* any_workspace = "074dd9f8-c368-4220-9400-acb6e80fc325";

differences check_monitor_answer(const json& test_case, const json&, c_api& library) {
    const json metadata = {{"resourceURI", "test/resource/uri"},
                           {"tenantId", "123"},
                           {"subscriptionId", "456"},
                           {"resourceGroupName", "test"},
                           {"metricName", "metric"},
                           {"metricAggregationType", test_case.at("aggregation")},
                           {"activeDirectoryClientId", "c"},
                           {"targetValue", "5"},
                           {"activationTargetValue", json(test_case.value("activationTargetValue", 0.0)).dump()}};
    return compare_reading(
        test_case.at("expect"),
        parse_answer(library, trigger_of("azure-monitor", metadata, {{"activeDirectoryClientPassword", "p"}}),
                     GPUTIDE_STRICT, 200, test_case.at("response").dump()));
}

differences check_logs_answer(const json& test_case, const json&, c_api& library) {
    const json metadata = {{"workspaceId", any_workspace},
                           {"tenantId", "d248da64-0e1e-4f79-b8c6-72ab7aa055eb"},
                           {"clientId", "41826dd4-9e0a-4357-a5bd-a88ad771ea7d"},
                           {"query", "print 1"},
                           {"threshold", "5"},
                           {"activationThreshold", json(test_case.value("activationThreshold", 0.0)).dump()}};
    return compare_reading(test_case.at("expect"),
                           parse_answer(library, trigger_of("azure-log-analytics", metadata, {{"clientSecret", "p"}}),
                                        GPUTIDE_STRICT, 200, json{{"tables", test_case.at("tables")}}.dump()));
}

const registration monitor_parsing{"keda-prometheus", {"azure_monitor_parse"}, &check_monitor_parse, &reach_of_parse};
const registration monitor_answers{"keda-prometheus", {"azure_monitor_response"}, &check_monitor_answer};
const registration logs_parsing{"keda-prometheus", {"log_analytics_parse"}, &check_logs_parse, &reach_of_parse};
const registration logs_answers{"keda-prometheus", {"log_analytics_response"}, &check_logs_answer};

}  // namespace
}  // namespace conformance::keda_azure

// keda-prometheus, kind metrics_api_parse: whether a metrics-api trigger is accepted, as part of a whole manifest that names the
// release.  In the strict profile.

namespace conformance::keda_metrics_api {
namespace {

differences check_parse(const json& test_case, const json&, c_api& library) {
    const written_trigger written = trigger_of("metrics-api", test_case.value("metadata", json::object()),
                                               test_case.value("authParams", json::object()));
    const json annotations = {{"gputide.io/profile", "strict"},
                              {"gputide.io/keda-version", test_case.value("keda_version", "2.21")}};
    json items = {scaled_object_of({{"triggers", {written.trigger}}}, annotations)};
    for (const json& file : written.files) items.push_back(json::parse(file.at("text").get<std::string>()));
    const std::vector<manifest_error> errors =
        errors_of(library, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}});
    differences out;
    expect_equal(out, "ok", test_case.at("expect").at("ok"), errors.empty());
    if (!errors.empty() && !out.empty()) out.push_back("the error: " + errors.front().message);
    return out;
}

const registration parsing{"keda-prometheus", {"metrics_api_parse"}, &check_parse};

}  // namespace
}  // namespace conformance::keda_metrics_api
