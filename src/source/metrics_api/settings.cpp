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

void read_url(parameters& from, settings& into) {
    into.url = from.text(keys["url"]).value_or("");
    const auto parts = http::parse_url(into.url);
    if (into.url.empty() || (parts && !parts->has_fragment)) return;
    from.add_error("url: expected an http or https URL such as http://api:3232/api/v1/stats", "url");
}

template <class Parsed, class Into>
void take(parameters& from, Parsed parsed, Into& into) {
    if (!parsed) return from.add_error(parsed.failure().message, "valueLocation");
    into = *std::move(parsed);
}

void read_location(parameters& from, settings& into) {
    const std::string format = from.text(keys["format"]).value_or("json");
    into.location = from.text(keys["valueLocation"]).value_or("");
    if (format == "xml") {
        return from.add_error(
            "format: xml is not read here; json, yaml and prometheus are, so let the API answer in one of them",
            "format");
    }
    if (into.location.empty()) return;
    if (format == "prometheus") {
        into.format = format::prometheus;
        return take(from, parse_series(into.location), into.series);
    }
    into.format = format == "yaml" ? format::yaml : format::json;
    take(from, parse_path(into.location), into.path);
}

double read_target_value(parameters& from) {
    const std::size_t errors = from.errors().size();
    const double value = from.number(keys["targetValue"]).value_or(0.0);
    if (value == 0.0 && from.errors().size() == errors) {
        from.add_error("no targetValue given in metadata; expected a number other than 0", "targetValue");
    }
    return value;
}

// The key as a header is what mode `custom` sends.
void read_api_key(parameters& from, settings& into) {
    const std::string method = from.text(keys["method"]).value_or("header");
    const std::string name = from.text(keys["keyParamName"]).value_or(method == "query" ? "api_key" : "X-API-KEY");
    access::settings& access = into.access;
    if (!access.has("apiKey")) return;
    if (method == "query") {
        into.query_key = secret_text(format_text("{}={}", form_encode(name), form_encode(access.api_key.reveal())));
        return;
    }
    if (access.has("custom"))
        return from.add_error("authModes: apiKey and custom are two headers, one can be sent", "authModes");
    access.modes.emplace_back("custom");
    access.custom_header = secret_text(name);
    access.custom_value = access.api_key;
}

void read_access(parameters& from, const config::trigger& trigger, config::profile profile, settings& into) {
    into.access = access::read_settings(from, trigger, profile);
    into.access.unsafe_ssl = from.flag(keys["unsafeSsl"]).value_or(false);
    read_api_key(from, into);
    access::check_headers(from, into.access);
    if (into.access.has("oauth"))
        from.add_error("authModes: oauth is not sent here; use bearer, basic, apiKey or tls", "authModes");
    if (into.access.is_cloud()) {
        from.add_error(
            format_text(
                "podIdentity {} has no meaning for an API of one's own; use authModes, bearer-file or bearer-exec",
                trigger.auth.provider),
            "authModes");
    }
}

void read_endpoints(parameters& from) {
    (void)from.text(keys["aggregationType"]);
    if (!from.flag(keys["aggregateFromKubeServiceEndpoints"]).value_or(false)) return;
    from.add_error(
        "aggregateFromKubeServiceEndpoints: the endpoints of a Service are not looked up here; name them in a trigger "
        "of type "
        "dcgm (urls: a,b,c with reduce), or let a Prometheus scrape them",
        "aggregateFromKubeServiceEndpoints");
}

void warn_about(const config::trigger& from, const parameters& read, const settings& got, config::report* findings) {
    access::warn_plain_http(from, read, "url", got.url, got.access, findings);
    if (findings == nullptr || !got.access.unsafe_ssl) return;
    findings->add(config::severity::warning, "tls-not-verified", read.place_of("unsafeSsl"),
                  from.label() + ": unsafeSsl is true: anybody on the way can answer for the API",
                  "give its CA as `ca` in the TriggerAuthentication instead");
}

}  // namespace

result<settings> read_settings(const config::trigger& from, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking) {
    parameters read(from, keys.all());
    settings out;
    read_url(read, out);
    read_location(read, out);
    const double target_value = read_target_value(read);
    const double activation = read.number(keys["activationTargetValue"]).value_or(0.0);
    const std::int64_t timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    out.timeout_ms = timeout_ms > 0 ? timeout_ms : limits::default_http_timeout_ms;
    read_access(read, from, as, out);
    read_endpoints(read);
    out.reduction.reduce = rules.reduce;
    out.max_age_ms = rules.max_age_ms;
    warn_about(from, read, out, findings);
    if (auto finished = finish(read, "error parsing metric API metadata", from, lacking); !finished)
        return std::move(finished).failure();
    auto target = external_target(from, "metric-api-" + out.location, target_value, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    return out;
}

}  // namespace gputide::source::metrics_api
