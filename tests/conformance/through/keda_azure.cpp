// keda-prometheus, the triggers azure-monitor and azure-log-analytics: parsing and answers, in the strict profile.
#include "gputide/gputide.h"
#include "through/manifests.hpp"
#include "through/triggers.hpp"

namespace conformance::keda_azure {
namespace {

differences check_parse(const json& one, const char* type, door& library) {
    const written_trigger written =
        trigger_of(type, one.value("metadata", json::object()), one.value("authParams", json::object()),
                   one.value("podIdentityProvider", ""));
    return check_opening(library, written, one.at("expect"));
}

differences check_monitor_parse(const json& one, const json&, door& library) {
    return check_parse(one, "azure-monitor", library);
}

differences check_logs_parse(const json& one, const json&, door& library) {
    return check_parse(one, "azure-log-analytics", library);
}

// The resource's id and the interval are looked at inside.
reach reach_of_parse(const json& one) {
    if (!can_open(one)) return reach::none;
    const json& expect = one.at("expect");
    return expect.contains("resource") || expect.contains("interval") ? reach::part : reach::whole;
}

constexpr const char* any_workspace = "074dd9f8-c368-4220-9400-acb6e80fc325";

differences check_monitor_answer(const json& one, const json&, door& library) {
    const json metadata = {{"resourceURI", "test/resource/uri"},
                           {"tenantId", "123"},
                           {"subscriptionId", "456"},
                           {"resourceGroupName", "test"},
                           {"metricName", "metric"},
                           {"metricAggregationType", one.at("aggregation")},
                           {"activeDirectoryClientId", "c"},
                           {"targetValue", "5"},
                           {"activationTargetValue", json(one.value("activationTargetValue", 0.0)).dump()}};
    return compare_reading(
        one.at("expect"),
        parse_answer(library, trigger_of("azure-monitor", metadata, {{"activeDirectoryClientPassword", "p"}}),
                     GPUTIDE_STRICT, 200, one.at("response").dump()));
}

differences check_logs_answer(const json& one, const json&, door& library) {
    const json metadata = {{"workspaceId", any_workspace},
                           {"tenantId", "d248da64-0e1e-4f79-b8c6-72ab7aa055eb"},
                           {"clientId", "41826dd4-9e0a-4357-a5bd-a88ad771ea7d"},
                           {"query", "print 1"},
                           {"threshold", "5"},
                           {"activationThreshold", json(one.value("activationThreshold", 0.0)).dump()}};
    return compare_reading(one.at("expect"),
                           parse_answer(library, trigger_of("azure-log-analytics", metadata, {{"clientSecret", "p"}}),
                                        GPUTIDE_STRICT, 200, json{{"tables", one.at("tables")}}.dump()));
}

const registration monitor_parsing{"keda-prometheus", {"azure_monitor_parse"}, &check_monitor_parse, &reach_of_parse};
const registration monitor_answers{"keda-prometheus", {"azure_monitor_response"}, &check_monitor_answer};
const registration logs_parsing{"keda-prometheus", {"log_analytics_parse"}, &check_logs_parse, &reach_of_parse};
const registration logs_answers{"keda-prometheus", {"log_analytics_response"}, &check_logs_answer};

}  // namespace
}  // namespace conformance::keda_azure
