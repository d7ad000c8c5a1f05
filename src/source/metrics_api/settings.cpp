// Reads and checks the settings of a metrics-api trigger.
#include "source/metrics_api/settings.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "config/parameters.hpp"
#include "http/message.hpp"
#include "source/access/plain_http.hpp"
#include "source/metrics_api/keys.hpp"
#include "source/target.hpp"

namespace gputide::source::metrics_api {
namespace {

using config::parameters;

void read_url(parameters& parameters, settings& settings) {
    settings.url = parameters.text(keys["url"]).value_or("");
    const auto parts = http::parse_url(settings.url);
    if (settings.url.empty() || (parts && !parts->has_fragment)) return;
    parameters.add_error("url: expected an http or https URL such as http://api:3232/api/v1/stats", "url");
}

template <class Parsed, class Into>
void take(parameters& parameters, Parsed parsed, Into& into) {
    if (!parsed) return parameters.add_error(parsed.failure().message, "valueLocation");
    into = *std::move(parsed);
}

void read_location(parameters& parameters, settings& settings) {
    const std::string format = parameters.text(keys["format"]).value_or("json");
    settings.location = parameters.text(keys["valueLocation"]).value_or("");
    if (format == "xml") {
        return parameters.add_error(
            "format: xml is not read here; json, yaml and prometheus are, so let the API answer in one of them",
            "format");
    }
    if (settings.location.empty()) return;
    if (format == "prometheus") {
        settings.format = format::prometheus;
        return take(parameters, parse_series(settings.location), settings.series);
    }
    settings.format = format == "yaml" ? format::yaml : format::json;
    take(parameters, parse_path(settings.location), settings.path);
}

double read_target_value(parameters& parameters) {
    const std::size_t errors = parameters.errors().size();
    const double value = parameters.number(keys["targetValue"]).value_or(0.0);
    if (value == 0.0 && parameters.errors().size() == errors) {
        parameters.add_error("no targetValue given in metadata; expected a number other than 0", "targetValue");
    }
    return value;
}

// The key as a header is what mode `custom` sends.
void read_api_key(parameters& parameters, settings& settings) {
    const std::string method = parameters.text(keys["method"]).value_or("header");
    const std::string name =
        parameters.text(keys["keyParamName"]).value_or(method == "query" ? "api_key" : "X-API-KEY");
    access::settings& access = settings.access;
    if (!access.has("apiKey")) return;
    if (method == "query") {
        settings.query_key = secret_text(format_text("{}={}", form_encode(name), form_encode(access.api_key.reveal())));
        return;
    }
    if (access.has("custom"))
        return parameters.add_error("authModes: apiKey and custom are two headers, one can be sent", "authModes");
    access.modes.emplace_back("custom");
    access.custom_header = secret_text(name);
    access.custom_value = access.api_key;
}

void read_access(parameters& parameters, const config::trigger& trigger, config::profile profile, settings& settings) {
    settings.access = access::read_settings(parameters, trigger, profile);
    settings.access.unsafe_ssl = parameters.flag(keys["unsafeSsl"]).value_or(false);
    read_api_key(parameters, settings);
    access::check_headers(parameters, settings.access);
    if (settings.access.has("oauth"))
        parameters.add_error("authModes: oauth is not sent here; use bearer, basic, apiKey or tls", "authModes");
    if (settings.access.is_cloud()) {
        parameters.add_error(
            format_text(
                "podIdentity {} has no meaning for an API of one's own; use authModes, bearer-file or bearer-exec",
                trigger.auth.provider),
            "authModes");
    }
}

void read_endpoints(parameters& parameters) {
    (void)parameters.text(keys["aggregationType"]);
    if (!parameters.flag(keys["aggregateFromKubeServiceEndpoints"]).value_or(false)) return;
    parameters.add_error(
        "aggregateFromKubeServiceEndpoints: the endpoints of a Service are not looked up here; name them in a trigger "
        "of type "
        "dcgm (urls: a,b,c with reduce), or let a Prometheus scrape them",
        "aggregateFromKubeServiceEndpoints");
}

void warn_about(const config::trigger& trigger, const parameters& read, const settings& settings,
                config::report* findings) {
    access::warn_plain_http(trigger, read, "url", settings.url, settings.access, findings);
    if (findings == nullptr || !settings.access.unsafe_ssl) return;
    findings->add(config::severity::warning, "tls-not-verified", read.place_of("unsafeSsl"),
                  trigger.label() + ": unsafeSsl is true: anybody on the way can answer for the API",
                  "give its CA as `ca` in the TriggerAuthentication instead");
}

}  // namespace

result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking) {
    parameters read(trigger, keys.all());
    settings out;
    read_url(read, out);
    read_location(read, out);
    const double target_value = read_target_value(read);
    const double activation = read.number(keys["activationTargetValue"]).value_or(0.0);
    const std::int64_t timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    out.timeout_ms = timeout_ms > 0 ? timeout_ms : limits::default_http_timeout_ms;
    read_access(read, trigger, as, out);
    read_endpoints(read);
    out.reduction.reduce = rules.reduce;
    out.max_age_ms = rules.max_age_ms;
    warn_about(trigger, read, out, findings);
    if (auto finished = finish(read, "error parsing metric API metadata", trigger, lacking); !finished)
        return std::move(finished).failure();
    auto target = external_target(trigger, "metric-api-" + out.location, target_value, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    return out;
}

}  // namespace gputide::source::metrics_api
