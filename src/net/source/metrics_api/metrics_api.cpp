// Settings of a metrics-api trigger, its requests, and its source.
#include "source/metrics_api/metrics_api.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::metrics_api {

namespace {

void read_url(trigger_reader& read, settings& settings) {
    settings.url = read.text_of(keys["url"]);
    const auto parts = http::parse_url(settings.url);
    if (settings.url.empty() || (parts && !parts->has_fragment)) return;
    read.add_error("url: expected an http or https URL such as http://api:3232/api/v1/stats", "url");
}

template <class Parsed, class Into>
void take(trigger_reader& read, Parsed parsed, Into& into) {
    if (!parsed) return read.add_error(parsed.failure().message, "valueLocation");
    into = *std::move(parsed);
}

void read_location(trigger_reader& read, settings& settings) {
    const std::string format = read.text(keys["format"]).value_or("json");
    settings.location = read.text_of(keys["valueLocation"]);
    if (format == "xml") {
        return read.add_error(
            "format: xml is not supported; configure the API to respond with json, yaml or prometheus", "format");
    }
    if (settings.location.empty()) return;
    if (format == "prometheus") {
        settings.format = format::prometheus;
        return take(read, parse_series(settings.location), settings.series);
    }
    settings.format = format == "yaml" ? format::yaml : format::json;
    take(read, parse_path(settings.location), settings.path);
}

// Reads the API key.  Sent as a header it works like mode `custom`.
void read_api_key(trigger_reader& read, settings& settings) {
    const std::string method = read.text(keys["method"]).value_or("header");
    const std::string name = read.text(keys["keyParamName"]).value_or(method == "query" ? "api_key" : "X-API-KEY");
    access::settings& access = settings.access;
    if (!access.has("apiKey")) return;
    if (method == "query") {
        settings.query_key = secret_text(format_text("{}={}", form_encode(name), form_encode(access.api_key.reveal())));
        return;
    }
    if (!access.custom_header.empty() && access.has("custom"))
        return read.add_error("authModes: apiKey and custom are two headers, but only one can be sent", "authModes");
    access.modes.emplace_back("custom");
    access.custom_header = secret_text(name);
    access.custom_value = access.api_key;
}

// Handles modes that KEDA does not send: from 2.21 on it rejects custom and oauth (authentication_types.go ValidateAllowed),
// before it sends the request without them.  Outside of strict, custom is sent.
void read_unsent_modes(trigger_reader& read, settings& settings) {
    access::settings& access = settings.access;
    settings.sends_custom = access.has("custom") && !access.strict;
    if (!access.strict) {
        if (access.has("oauth"))
            read.add_error("authModes: oauth is not supported here; use bearer, basic, apiKey or tls", "authModes");
        return;
    }
    access.custom_header = access.custom_value = secret_text();
    if (!holds(manifest::version_rule::refuses_unsent_modes, read.rules().versions)) return;
    for (const std::string_view mode : {"custom", "oauth"}) {
        if (!access.has(mode)) continue;
        read.add_error(format_text("auth mode {} is not supported by this scaler; supported modes: [apiKey basic "
                                   "tls bearer]",
                                   in_quotes(mode)),
                       "authModes");
    }
}

void read_access(trigger_reader& read, settings& settings) {
    settings.access = access::read_settings(read);
    settings.access.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    read_unsent_modes(read, settings);
    read_api_key(read, settings);
    access::check_headers(read, settings.access);
    if (settings.access.is_cloud()) {
        read.add_error(
            format_text("podIdentity {} is not supported for your own API; use authModes, bearer-file or bearer-exec",
                        read.trigger().auth.provider),
            "authModes");
    }
}

void read_endpoints(trigger_reader& read) {
    (void)read.text(keys["aggregationType"]);
    if (!read.flag(keys["aggregateFromKubeServiceEndpoints"]).value_or(false)) return;
    read.add_error(
        "aggregateFromKubeServiceEndpoints: looking up the endpoints of a Service is not supported; list them in a "
        "trigger of type dcgm (urls: a,b,c with reduce), or scrape them with a Prometheus",
        "aggregateFromKubeServiceEndpoints");
}

void warn_of_custom(const trigger_reader& read) {
    const bool is_refused = holds(manifest::version_rule::refuses_unsent_modes, read.rules().versions);
    read.warn("authModes", "keda-does-not-send",
              format_text("gputide sends the header of authModes custom; KEDA {}",
                          is_refused ? "rejects this mode in a metrics-api trigger"
                                     : "before 2.21 accepts this mode and sends the request without the header"),
              "use apiKey with keyParamName, which KEDA also sends as a header");
}

}  // namespace

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    read_url(read, out);
    read_location(read, out);
    read.read_target_value("no targetValue given in metadata");
    const std::int64_t timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    out.timeout_ms = timeout_ms > 0 ? timeout_ms : limits::default_http_timeout_ms;
    read_access(read, out);
    read_endpoints(read);
    access::warn_plain_http(read, "url", out.url, out.access);
    access::warn_unverified(read, out.access, "the API");
    if (out.sends_custom) warn_of_custom(read);
    const std::string name = "metric-api-" + out.location;
    return read.end("error parsing metric API metadata", name, std::move(out));
}

// Combines the pure parts of the metrics-api source.

namespace {

http::request build_request(const settings& settings) {
    http::request out;
    out.url = settings.url;
    const auto parts = http::parse_url(out.url);
    out.carries_credential = (parts && parts->has_user_info) || !settings.query_key.empty();
    if (!settings.query_key.empty()) {
        out.url += (parts && parts->has_query ? "&" : "?") + std::string(settings.query_key.reveal());
    }
    if (settings.format == format::prometheus) out.set("Accept", std::string(formats::exposition::accept));
    out.attempt_timeout_ms = settings.timeout_ms;
    out.connect_timeout_ms = settings.timeout_ms;
    return out;
}

std::string request_key(const settings& settings) {
    return format_text("metrics-api\n{}\n{}\n{}{}\n{}{}", build_request(settings).url, settings.location,
                       static_cast<std::int32_t>(settings.format), settings.reduction.reduce, settings.timeout_ms,
                       settings.access.unsafe_ssl ? " unverified" : " verified");
}

// Removes the key from errors here: it is part of the URL, which a response or the transport may repeat.  Headers are removed
// later.
result<reading> read_redacted(const http::answer& answer, const settings& settings) {
    auto out = read_answer(answer, settings);
    if (out || settings.query_key.empty()) return out;
    error why = out.take_failure();
    why.message = redact(why.message, {settings.access.api_key.reveal(), settings.query_key.reveal()});
    return why;
}

}  // namespace

result<description> describe(trigger_reader& read) {
    auto out = description_of(read, read_settings(read), {&judge, &request_key, &settings::location});
    if (!out) return out;
    const auto settings = out->settings_as<metrics_api::settings>();
    if (settings->format == format::prometheus && settings->series.metrics.size() == 1) {
        out->shape =
            shape_of_series({.metric = settings->series.metrics.front(), .reduce = settings->reduction.reduce});
    }
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<metrics_api::settings>();
    auto access = access::open(settings->access, {}, services);
    if (!access) return access.take_failure();
    return make_request_source(
        described,
        {.request = [settings](std::int64_t) { return build_request(*settings); },
         .read = [settings](const http::answer& answer) { return read_redacted(answer, *settings); },
         .max_age_ms = settings->max_age_ms,
         .age_remedy = "check whether the API still gets new values"},
        *std::move(access), services.loop);
}

}  // namespace gputide::source::metrics_api
