// keda-prometheus, the triggers azure-monitor and azure-log-analytics: parsing and answers, in the strict profile.
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/source.hpp"

namespace conformance {
namespace {

namespace config = gputide::config;
namespace http = gputide::http;
namespace source = gputide::source;
using texts = std::map<std::string, std::string>;
using opened_source = gputide::result<std::shared_ptr<source::metric_source>>;

config::trigger trigger_of(const json& one, std::string type) {
    config::trigger out;
    out.type = std::move(type);
    out.metadata = one.value("metadata", texts());
    for (const auto& [name, value] : one.value("authParams", texts())) {
        out.auth.parameters.emplace(name, gputide::secret_text(value));
    }
    for (const auto& [name, value] : one.value("resolvedEnv", texts())) {
        out.resolved_env.emplace(name, gputide::secret_text(value));
    }
    out.auth.provider = one.value("podIdentityProvider", "");
    return out;
}

opened_source open_strict(const config::trigger& from) {
    return source::open(from, {}, config::profile::strict, {}, nullptr);
}

// ---- parsing --------------------------------------------------------------------------------------------------------------
differences check_parse(const json& one, const std::string& type) {
    const opened_source got = open_strict(trigger_of(one, type));
    const json& expect = one.at("expect");
    const bool expect_ok = expect.at("ok").get<bool>();
    if (expect_ok && !got) return {"expected success, got the error: " + got.failure().message};
    if (!expect_ok && got) return {"expected an error, got success"};
    differences out;
    if (!got && expect.contains("error_contains")) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    if (got && expect.contains("metric_name")) {
        expect_equal(out, "metric_name", expect.at("metric_name"), (*got)->target().metric_name);
    }
    return out;
}

differences check_monitor_parse(const json& one, const json&) {
    differences out = check_parse(one, "azure-monitor");
    if (!one.at("expect").contains("resource")) return out;
    const auto got =
        source::azure_monitor::read_settings(trigger_of(one, "azure-monitor"), {}, config::profile::strict, nullptr);
    if (got) expect_equal(out, "resource", one.at("expect").at("resource"), got->resources.front());
    return out;
}

differences check_logs_parse(const json& one, const json&) { return check_parse(one, "azure-log-analytics"); }

// ---- answers --------------------------------------------------------------------------------------------------------------
differences check_answer(const json& one, const config::trigger& from, const json& body) {
    const opened_source opened = open_strict(from);
    if (!opened) return {"the trigger was refused: " + opened.failure().message};
    http::answer answer;
    answer.response.status = 200;
    answer.response.body = body.dump();
    const source::fetched got = (*opened)->judge((*opened)->read(answer));

    const json& expect = one.at("expect");
    const bool failed = got.sample.state != gputide::sample_state::ok;
    differences out;
    expect_equal(out, "error", expect.at("error"), failed);
    if (failed && expect.contains("error_contains")) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.why.message);
    }
    if (failed) return out;
    if (expect.contains("value")) expect_equal(out, "value", expect.at("value"), got.sample.value);
    if (expect.contains("active")) {
        expect_equal(out, "active", expect.at("active"), got.sample.value > (*opened)->target().activation_threshold);
    }
    if (expect.contains("metric_milli")) {
        expect_equal(out, "metric_milli", expect.at("metric_milli"), gputide::keda_milli_text(got.sample.value));
    }
    return out;
}

differences check_monitor_answer(const json& one, const json&) {
    config::trigger from;
    from.type = "azure-monitor";
    from.auth.provider = "azure-workload";
    from.metadata = {{"resourceURI", "test/resource/uri"},
                     {"tenantId", "123"},
                     {"subscriptionId", "456"},
                     {"resourceGroupName", "test"},
                     {"metricName", "metric"},
                     {"metricAggregationType", one.at("aggregation").get<std::string>()},
                     {"targetValue", "5"},
                     {"activationTargetValue", gputide::shortest(one.value("activationTargetValue", 0.0))}};
    return check_answer(one, from, one.at("response"));
}

differences check_logs_answer(const json& one, const json&) {
    config::trigger from;
    from.type = "azure-log-analytics";
    from.auth.provider = "azure-workload";
    from.metadata = {{"workspaceId", "074dd9f8-c368-4220-9400-acb6e80fc325"},
                     {"query", "print 1"},
                     {"threshold", "5"},
                     {"activationThreshold", gputide::shortest(one.value("activationThreshold", 0.0))}};
    return check_answer(one, from, {{"tables", one.at("tables")}});
}

const registration monitor_parsing{"keda-prometheus", {"azure_monitor_parse"}, &check_monitor_parse};
const registration monitor_answers{"keda-prometheus", {"azure_monitor_response"}, &check_monitor_answer};
const registration logs_parsing{"keda-prometheus", {"log_analytics_parse"}, &check_logs_parse};
const registration logs_answers{"keda-prometheus", {"log_analytics_response"}, &check_logs_answer};

}  // namespace
}  // namespace conformance
