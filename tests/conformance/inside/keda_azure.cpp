// keda-prometheus, the triggers azure-monitor and azure-log-analytics: parsing where the environment is the case's own.  In the
// strict profile.
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/keda_version.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/source.hpp"
#include "support/open_source.hpp"

namespace conformance::keda_azure {
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
    return gputide::testing::open_source(from, {}, config::profile::strict);
}

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
    const json& expect = one.at("expect");
    config::trigger_rules rules;
    rules.versions = keda_versions_of(one);
    const auto got =
        source::azure_monitor::read_settings(trigger_of(one, "azure-monitor"), rules, config::profile::strict, nullptr);
    if (!got) return out;
    if (expect.contains("resource")) expect_equal(out, "resource", expect.at("resource"), got->resources.front());
    if (expect.contains("interval")) {
        expect_equal(out, "interval", expect.at("interval"), got->interval.empty() ? json() : json(got->interval));
    }
    return out;
}

differences check_logs_parse(const json& one, const json&) { return check_parse(one, "azure-log-analytics"); }

const registration monitor_parsing{"keda-prometheus", {"azure_monitor_parse"}, &check_monitor_parse};
const registration logs_parsing{"keda-prometheus", {"log_analytics_parse"}, &check_logs_parse};

}  // namespace
}  // namespace conformance::keda_azure
