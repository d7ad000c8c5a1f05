// azure-metrics: whole fetches against a peer that gives a token and then the case's answer; batch answers; requests.
// All in the default profile, with a pod's identity.
#include "base/encode.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "frame/check.hpp"
#include "inside/azure_token_world.hpp"
#include "inside/keda_spec.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/source.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <algorithm>
#include <optional>

namespace conformance::azure_metrics {
namespace {

namespace auth = gputide::auth;
namespace manifest = gputide::manifest;
namespace http = gputide::http;
namespace source = gputide::source;
using gputide::testing::scripted_answer;
using texts = std::map<std::string, std::string>;

constexpr std::string_view default_now = "2025-10-09T08:53:20Z";

class pod final : public auth::surroundings {
  public:
    std::optional<std::string> environment(const std::string& name) const override {
        if (name == "AZURE_CLIENT_ID") return "11111111-1111-1111-1111-111111111111";
        if (name == "AZURE_TENANT_ID") return "22222222-2222-2222-2222-222222222222";
        if (name == "AZURE_FEDERATED_TOKEN_FILE") return "/var/run/secrets/token";
        return std::nullopt;
    }
    gputide::result<gputide::secret_text> read_file(const std::string&, std::size_t) const override {
        return gputide::secret_text(std::string("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln"));
    }
};

// ---- one fetch ----------------------------------------------------------------------------------------------------------
struct asked {
    manifest::trigger trigger;
    manifest::trigger_rules rules;
    std::vector<std::string> allowed_token_hosts;
    std::int64_t now_ms = 0;
};

struct outcome {
    source::fetched got;
    std::vector<http::request> tokens;  // requests for one
    std::vector<http::request> metrics;
};

bool is_token_request(const http::request& what) {
    const auto parts = http::parse_url(what.url);
    return parts && parts->host.find("login.") == 0;
}

outcome run(const asked& what, const scripted_answer& answer) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    loop->set_wall_ms(what.now_ms);
    loop->answer_with([&answer](const http::request& sent) {
        if (!is_token_request(sent)) return answer;
        return gputide::testing::scripted(200, R"({"access_token":"t0k3n","token_type":"Bearer","expires_in":3599})");
    });
    source::services with;
    with.loop = loop;
    with.tokens = std::make_shared<auth::token_cache>(loop);
    with.host = std::make_shared<pod>();
    with.permissions.allowed_token_hosts = what.allowed_token_hosts;
    outcome out;
    auto opened = gputide::testing::open_source(what.trigger, what.rules, manifest::profile::standard, with);
    if (!opened) {
        out.got.why = std::move(opened).failure();
        out.got.sample.state = gputide::sample_state::failed;
        return out;
    }
    (*opened)->fetch(
        what.now_ms, loop->steady_ms() + 600'000, [&out](source::fetched got) { out.got = std::move(got); },
        source::detail::everything);
    loop->run_until_idle();
    for (const auto& request : loop->requests())
        (is_token_request(request.what) ? out.tokens : out.metrics).push_back(request.what);
    return out;
}

std::int64_t now_of(const json& settings) {
    if (settings.contains("now_epoch")) return settings.at("now_epoch").get<std::int64_t>() * 1'000;
    return gputide::parse_rfc3339(settings.value("now", std::string(default_now))).value();
}

// ---- what came ------------------------------------------------------------------------------------------------------------
// The prometheus source has finer words for an answer that cannot be used.
std::string class_of(const gputide::error& from) {
    using gputide::error_class;
    for (const error_class finer :
         {error_class::not_json, error_class::shape, error_class::encoding, error_class::range}) {
        if (from.error_class == finer) return "protocol";
    }
    return std::string(gputide::class_word(from.error_class));
}

std::int64_t retry_after_s(const gputide::error& from) { return from.retry_after_ms / 1'000; }

void compare_error(differences& out, const json& object, const json& expect, const outcome& came) {
    const gputide::error& why = came.got.why;
    if (came.got.sample.state == gputide::sample_state::ok) {
        out.push_back("expected an error, got the value " + gputide::shortest(came.got.sample.value));
        return;
    }
    expect_equal(out, "error.class", expect.at("class"), class_of(why));
    for (const json& text : expect.value("text_must_contain", json::array())) {
        expect_contains(out, "error", text.get<std::string>(), why.message);
    }
    for (const json& text : object.value("text_should_contain", json::array())) {
        expect_contains(out, "error", text.get<std::string>(), why.message);
    }
}

json labels_json(const source::reading& from) {
    json out = json::object();
    for (const source::series& series : from.series) {
        for (const auto& [name, value] : series.labels) out[name] = value;
    }
    return out;
}

void compare_value(differences& out, const json& expect, const source::fetched& got) {
    if (got.sample.state != gputide::sample_state::ok) {
        out.push_back("expected a value, got the error: " + got.why.message);
        return;
    }
    expect_equal(out, "value", expect.at("value"), got.sample.value);
    if (expect.contains("timestamp")) {
        expect_equal(out, "timestamp", expect.at("timestamp"), gputide::format_rfc3339_s(got.sample.time_ms));
    }
    expect_equal(out, "labels", expect.value("labels", json::object()), labels_json(got.reading), {.subset = true});
    if (!expect.contains("warning")) return;
    std::string warnings;
    for (const std::string& text : got.reading.warnings) warnings += text + "\n";
    expect_contains(out, "warnings", expect.at("warning").get<std::string>(), warnings);
}

differences compare(const json& test_case, const outcome& came) {
    const json& expect = test_case.at("expect");
    differences out;
    if (expect.contains("error")) compare_error(out, test_case, expect.at("error"), came);
    if (expect.contains("value")) compare_value(out, expect, came.got);
    if (expect.contains("requests")) {
        expect_equal(out, "requests", expect.at("requests"), came.tokens.size() + came.metrics.size());
    }
    if (expect.contains("invalidate_token")) {
        expect_equal(out, "invalidate_token", expect.at("invalidate_token"), came.tokens.size() > 1);
    }
    if (expect.contains("retry_after_s")) {
        expect_equal(out, "retry_after_s", expect.at("retry_after_s"), retry_after_s(came.got.why));
    }
    return out;
}

// ---- the kinds ------------------------------------------------------------------------------------------------------------
asked question(const json& object, std::string type, texts metadata) {
    const json& settings = object.at("config");
    asked out;
    out.trigger.type = std::move(type);
    out.trigger.metadata = std::move(metadata);
    out.trigger.auth.provider = "azure-workload";
    out.rules.reduce = settings.value("series_reduce", "");
    out.rules.accept_partial = settings.value("accept_partial", false);
    out.rules.max_age_ms = settings.value("max_age_s", std::int64_t{0}) * 1'000;
    out.rules.versions = keda_versions_of(object);
    out.allowed_token_hosts = settings.value("allowed_token_hosts", std::vector<std::string>());
    out.now_ms = now_of(settings);
    return out;
}

differences check_monitor(const json& test_case, const json&) {
    const json& settings = test_case.at("config");
    const texts metadata = {{"resourceURI", "Microsoft.Compute/virtualMachineScaleSets/gpu"},
                            {"tenantId", "t"},
                            {"subscriptionId", "s"},
                            {"resourceGroupName", "g"},
                            {"metricName", settings.at("metricName").get<std::string>()},
                            {"metricAggregationType", settings.at("aggregation").get<std::string>()},
                            {"metricFilter", settings.value("filter", "")},
                            {"targetValue", "1"}};
    return compare(test_case, run(question(test_case, "azure-monitor", metadata), answer_of(test_case.at("response"))));
}

differences check_logs(const json& test_case, const json&) {
    const json& settings = test_case.at("config");
    const texts metadata = {{"workspaceId", "074dd9f8-c368-4220-9400-acb6e80fc325"},
                            {"query", settings.value("query", "InsightsMetrics | summarize max(Val)")},
                            {"threshold", "1"}};
    return compare(test_case,
                   run(question(test_case, "azure-log-analytics", metadata), answer_of(test_case.at("response"))));
}

std::string prometheus_address(const json& settings) {
    const bool scoped = settings.value("endpoint_kind", "").find("query.") == 0;
    return settings.value("serverAddress", scoped ? "https://query.eastus.prometheus.monitor.azure.com"
                                                  : "https://workspace.eastus.prometheus.monitor.azure.com");
}

differences check_prometheus(const json& test_case, const json&) {
    const json& settings = test_case.at("config");
    const texts metadata = {{"serverAddress", prometheus_address(settings)},
                            {"query", settings.value("query", "up")},
                            {"ignoreNullValues", settings.value("ignoreNullValues", true) ? "true" : "false"},
                            {"threshold", "1"}};
    return compare(test_case, run(question(test_case, "prometheus", metadata), answer_of(test_case.at("response"))));
}

// Resources answer for themselves, whatever their ids look like.
differences check_batch(const json& test_case, const json&) {
    const json& settings = test_case.at("config");
    source::azure_monitor::settings by;
    by.metric = settings.at("metricName").get<std::string>();
    by.aggregation = settings.at("aggregation").get<std::string>();
    by.resources = settings.at("resources").get<std::vector<std::string>>();
    by.where.base = "https://eastus.metrics.monitor.azure.com";
    by.batch = true;
    const auto got = source::azure_monitor::parse(answer_of(test_case.at("response")).what, by);
    if (!got) return {"expected values, got the error: " + got.failure().message};
    json values = json::object();
    for (const source::series& series : got->series) {
        if (!series.points.empty()) values[series.labels.back().second] = series.points.back().value;
    }
    json missing = json::array();  // each warning begins with the resource
    for (const std::string& text : got->warnings) missing.push_back(text.substr(0, text.find(": ")));
    differences out;
    expect_equal(out, "values", test_case.at("expect").at("values"), values);
    expect_equal(out, "missing", test_case.at("expect").value("missing", json::array()), missing);
    return out;
}

// ---- requests -------------------------------------------------------------------------------------------------------------
texts decoded(std::string_view form) {
    texts out;
    for (const std::string_view piece : gputide::split(form, '&')) {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto text = [](std::string_view raw) { return gputide::percent_decode(raw, true).value_or("?"); };
        out[text(piece.substr(0, equals))] = text(piece.substr(std::min(equals + 1, piece.size())));
    }
    return out;
}

// Unix seconds and RFC 3339 may both stand for a time.
json same_instant(const json& expected, const json& got) {
    if (!expected.is_string() || !got.is_string()) return got;
    const auto seconds = gputide::parse_int64(expected.get<std::string>());
    const auto instant = gputide::parse_rfc3339(got.get<std::string>());
    return seconds && instant && *instant == *seconds * 1'000 ? expected : got;
}

void compare_form(differences& out, const std::string& place, const json& expect, const json& got) {
    for (const auto& [name, value] : expect.items()) {
        const json came = got.contains(name) ? got.at(name) : json();
        expect_equal(out, place + " " + name, value, name == "time" ? same_instant(value, came) : came);
    }
}

void compare_request(differences& out, const json& expect, const http::request& sent) {
    const auto url = http::parse_url(sent.url).value_or(http::url_parts());
    if (expect.contains("method")) expect_equal(out, "method", expect.at("method"), sent.method);
    if (expect.contains("host")) expect_equal(out, "host", expect.at("host"), url.host);
    if (expect.contains("path")) expect_equal(out, "path", expect.at("path"), url.path);
    const texts query = decoded(url.query);
    compare_form(out, "query", expect.value("query_must_have", json::object()), query);
    for (const json& name : expect.value("query_must_not_have", json::array())) {
        if (query.contains(name.get<std::string>())) out.push_back("query: expected no " + name.dump());
    }
    compare_form(out, "form", expect.value("form", json::object()), decoded(sent.body.reveal()));
    if (expect.contains("body")) {
        expect_equal(out, "body", expect.at("body"), json::parse(sent.body.reveal()), {.subset = true});
    }
    const json headers = expect.value("headers_must_have", json::object());
    for (const auto& [name, value] : headers.items()) {
        const http::header* found = sent.find(name);
        expect_equal(out, "header " + name, value,
                     found == nullptr ? json() : json(std::string(found->value.reveal())));
    }
}

texts metadata_of(const json& settings) {
    texts out;
    for (const auto& [name, value] : settings.items()) {
        if (!value.is_string() || name == "trigger" || name == "now") continue;
        const bool own = name == "timespan";
        out[name == "method" ? "gputide.io/http-method" : (own ? "gputide.io/" : "") + name] = value.get<std::string>();
    }
    if (settings.at("trigger") == "prometheus") out.emplace("threshold", "1");
    return out;
}

differences check_requests(const json& test_case, const json&) {
    const json& settings = test_case.at("config");
    const json& expect = test_case.at("expect");
    const auto came = run(question(test_case, settings.at("trigger").get<std::string>(), metadata_of(settings)),
                          gputide::testing::scripted(200, "{}"));
    differences out = compare(test_case, came);
    if (expect.contains("error")) return out;
    if (came.tokens.empty() || came.metrics.empty()) {
        out.push_back("expected a request, got the error: " + came.got.why.message);
        return out;
    }
    if (expect.contains("scope")) {
        expect_equal(out, "scope", expect.at("scope"), decoded(came.tokens.front().body.reveal())["scope"]);
    }
    compare_request(out, expect, came.metrics.front());
    return out;
}

const registration monitor{"azure-metrics", {"azure_monitor"}, &check_monitor};
const registration logs{"azure-metrics", {"log_analytics"}, &check_logs};
const registration managed_prometheus{"azure-metrics", {"managed_prometheus"}, &check_prometheus};
const registration batches{"azure-metrics", {"azure_monitor_batch"}, &check_batch};
const registration requests{"azure-metrics", {"request"}, &check_requests};

}  // namespace
}  // namespace conformance::azure_metrics
