// keda-prometheus, kind prom_parse: triggers that a manifest could not hold as they stand, such as one with an identity and no
// TriggerAuthentication.  In the strict profile.

#include "auth/azure/services.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/prometheus/prometheus.hpp"
#include "source/source.hpp"
#include "support/open_source.hpp"

namespace conformance::keda_prometheus {
namespace {

namespace manifest = gputide::manifest;
namespace source = gputide::source;

manifest::trigger trigger_of(const json& object) {
    manifest::trigger out;
    out.type = "prometheus";
    out.metadata = object.value("metadata", std::map<std::string, std::string>());
    for (const auto& [name, value] : object.value("authParams", std::map<std::string, std::string>())) {
        out.auth.parameters.emplace(name, gputide::secret_text(value));
    }
    out.auth.provider = object.value("podIdentityProvider", "");
    return out;
}

// An error where one is expected and only there; true where both sides have a value to compare.
template <class T>
bool outcome_fits(differences& out, bool expect_ok, const gputide::result<T>& got) {
    if (expect_ok == got.ok()) return got.ok();
    out.push_back(expect_ok ? "expected success, got the error: " + got.failure().message
                            : std::string("expected an error, got success"));
    return false;
}

json settings_json(const source::prometheus::settings& settings) {
    return {{"threshold", settings.target.threshold},
            {"activationThreshold", settings.target.activation_threshold},
            {"ignoreNullValues", settings.reduction.ignore_null},
            {"unsafeSsl", settings.unsafe_ssl},
            {"timeoutMs", settings.timeout_ms},
            {"namespace", settings.name_space},
            {"customHeaders", settings.headers},
            {"queryParameters", settings.parameters},
            {"serverAddress", settings.server_address},
            {"query", settings.query},
            {"authModes", settings.access.modes}};
}

differences check_parse(const json& test_case, const json&) {
    manifest::trigger_rules rules;
    rules.versions = keda_versions_of(test_case);
    const auto got = gputide::testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(),
                                                   trigger_of(test_case), rules, manifest::profile::strict);
    differences out;
    const json expect = expected_of(test_case);
    if (outcome_fits(out, expect.at("ok").get<bool>(), got)) {
        expect_equal(out, "parsed", expect.value("parsed", json::object()), settings_json(*got), {.subset = true});
    } else if (!got && expect.contains("error_contains")) {
        // KEDA's own words are optional; ours hold the part that the file names all the same.
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

const registration parsing{"keda-prometheus", {"prom_parse"}, &check_parse};

}  // namespace
}  // namespace conformance::keda_prometheus

// keda-prometheus, kind quantity: values as KEDA writes them for the HPA, beyond what a sample can hold.

namespace conformance::keda_quantity {
namespace {

differences check_quantity(const json& test_case, const json&) {
    const auto value = gputide::parse_go_float(test_case.at("value").get<std::string>());
    if (!value) return {"value: not a float text"};
    differences out;
    expect_equal(out, "milli", test_case.at("expect").at("milli"), gputide::keda_milli_text(*value));
    return out;
}

const registration quantities{"keda-prometheus", {"quantity"}, &check_quantity};

}  // namespace
}  // namespace conformance::keda_quantity

// keda-prometheus, the triggers azure-monitor and azure-log-analytics: parsing where the environment is the case's own.  In the
// strict profile.

namespace conformance::keda_azure {
namespace {

namespace manifest = gputide::manifest;
namespace http = gputide::http;
namespace source = gputide::source;
using texts = std::map<std::string, std::string>;
using opened_source = gputide::result<std::shared_ptr<source::metric_source>>;

manifest::trigger trigger_of(const json& object, std::string type) {
    manifest::trigger out;
    out.type = std::move(type);
    out.metadata = object.value("metadata", texts());
    for (const auto& [name, value] : object.value("authParams", texts())) {
        out.auth.parameters.emplace(name, gputide::secret_text(value));
    }
    for (const auto& [name, value] : object.value("resolvedEnv", texts())) {
        out.resolved_env.emplace(name, gputide::secret_text(value));
    }
    out.auth.provider = object.value("podIdentityProvider", "");
    return out;
}

opened_source open_strict(const manifest::trigger& from) {
    return gputide::testing::open_source(from, {}, manifest::profile::strict);
}

differences check_parse(const json& test_case, const std::string& type) {
    const opened_source got = open_strict(trigger_of(test_case, type));
    const json& expect = test_case.at("expect");
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

differences check_monitor_parse(const json& test_case, const json&) {
    differences out = check_parse(test_case, "azure-monitor");
    const json& expect = test_case.at("expect");
    manifest::trigger_rules rules;
    rules.versions = keda_versions_of(test_case);
    const auto got =
        gputide::testing::settings_of(&source::azure_monitor::read_settings, source::azure_monitor::keys.all(),
                                      trigger_of(test_case, "azure-monitor"), rules, manifest::profile::strict);
    if (!got) return out;
    if (expect.contains("resource")) expect_equal(out, "resource", expect.at("resource"), got->resources.front());
    if (expect.contains("interval")) {
        expect_equal(out, "interval", expect.at("interval"), got->interval.empty() ? json() : json(got->interval));
    }
    return out;
}

differences check_logs_parse(const json& test_case, const json&) {
    return check_parse(test_case, "azure-log-analytics");
}

const registration monitor_parsing{"keda-prometheus", {"azure_monitor_parse"}, &check_monitor_parse};
const registration logs_parsing{"keda-prometheus", {"log_analytics_parse"}, &check_logs_parse};

}  // namespace
}  // namespace conformance::keda_azure

// keda-prometheus, azure_amp_scope: KEDA's cloud metadata → the scope that a token for Managed Prometheus is asked for.

namespace conformance::keda_azure_scope {
namespace {

differences check_scope(const json& test_case, const json&) {
    const json metadata = test_case.value("metadata", json::object());
    const auto got = gputide::auth::managed_prometheus_audience(
        metadata.value("cloud", ""), metadata.value("azureManagedPrometheusResourceURL", ""), true);
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), got.ok());
    if (!out.empty()) return out;
    if (got) {
        expect_equal(out, "scope", expect.at("scope"), got->scope);
    } else {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

const registration scopes{"keda-prometheus", {"azure_amp_scope"}, &check_scope};

}  // namespace
}  // namespace conformance::keda_azure_scope
