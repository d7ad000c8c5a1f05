// Reads and checks the settings of a prometheus trigger.
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/exposition/selector.hpp"
#include "formats/promql/promql.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/prometheus/prometheus.hpp"
#include "source/query_shape.hpp"
#include "source/target.hpp"

namespace gputide::source::prometheus {
namespace {

void check_headers(trigger_reader& read, const std::map<std::string, std::string>& headers) {
    for (const auto& [name, value] : headers) {
        if (http::is_field_name(name) && access::is_header_value(value)) continue;
        read.add_error(
            "customHeaders: " + in_quotes(name) + " is not a header name, or its value has a control character",
            "customHeaders");
    }
}

void check_address(trigger_reader& read, const settings& settings) {
    if (settings.strict || settings.server_address.empty()) return;
    const auto parts = http::parse_url(settings.server_address);
    if (parts && !parts->has_fragment) return;
    read.add_error("serverAddress: expected an http or https URL such as http://prometheus:9090, without a #fragment",
                   "serverAddress");
}

// Reads the query, or else a preset's query for the series that its selector names.
void read_query(trigger_reader& read, settings& settings) {
    const preset* named = read_preset(read);
    const std::string matchers = read.text_of(keys["gputide.io/preset-selector"]);
    const auto parsed = formats::exposition::parse_matchers(
        matchers, [](std::string_view label) { return formats::exposition::label_names{std::string(label)}; });
    if (!parsed)
        read.add_error("gputide.io/preset-selector: " + parsed.failure().message, "gputide.io/preset-selector");
    if (named != nullptr && !read.is_written(keys["query"])) settings.filled_by = named;
    std::string_view inside = trim(matchers);
    if (inside.size() >= 2 && inside.front() == '{') inside = inside.substr(1, inside.size() - 2);
    settings.query =
        read.text(keys["query"], settings.filled_by == nullptr ? "" : query_of(*settings.filled_by, inside))
            .value_or("");
}

// Reads the settings gputide.io/..., which KEDA does not have.
void read_own_rules(trigger_reader& read, settings& settings) {
    const std::string& reduce = settings.reduction.reduce;
    if (!reduce.empty()) read.check_reducer(reduce, "gputide.io/reduce");
    settings.post = read.text(keys["gputide.io/http-method"]) == "POST";
    const auto age_query = read.text(keys["gputide.io/age-query"]);
    if (settings.max_age_ms <= 0) return;
    settings.age_query = age_query.value_or(formats::promql::age_query_of(settings.query));
    if (settings.age_query.empty() && !settings.query.empty()) {
        read.add_error(
            "a maximum age is set, but the query names no metric for reading the age; set a query for it as "
            "gputide.io/age-query, e.g. min(timestamp(DCGM_FI_DEV_GPU_UTIL))",
            "query");
    }
}

void warn_about(const trigger_reader& read, const settings& settings) {
    const auto warn = [&read](std::string_view key, std::string_view code, std::string_view text,
                              std::string_view remedy) {
        if (!read.is_refused(key)) read.warn(key, code, text, remedy);
    };
    if (settings.unsafe_ssl) {
        warn("unsafeSsl", "tls-not-verified",
             "unsafeSsl is true: the server's certificate is not verified, so any host on the way can impersonate it",
             "give the server's CA as `ca` in the TriggerAuthentication instead");
    }
    if (read.trigger().metadata.contains("metricName") && !read.is_refused("metricName")) {
        read.note("metricName", "key-without-effect",
                  format_text("metricName is accepted and has no effect; the metric is named {}",
                              metric_name(read.trigger().index, "prometheus")),
                  "remove it");
    }
    if (settings.reduction.ignore_null && read.rules().no_data == manifest::no_data_rule::as_original) {
        warn("ignoreNullValues", "empty-reads-as-zero",
             "ignoreNullValues is true: an empty result, NaN or infinity counts as 0 and scales down",
             "set ignoreNullValues: \"false\" and a fallback, or gputide.io/no-data: hold");
    }
    std::string_view address = settings.server_address;
    while (address.ends_with('/')) address.remove_suffix(1);
    for (const std::string_view path : {"/api/v1/query_range", "/api/v1/query", "/api/v1", "/graph", "/query"}) {
        if (!address.ends_with(path)) continue;
        warn(
            "serverAddress", "address-with-api-path",
            format_text(
                "serverAddress ends in {}, but /api/v1/query is appended to it: the server will answer HTTP 404", path),
            format_text("write the address without {}", path));
        break;
    }
    access::warn_plain_http(read, "serverAddress", settings.server_address, settings.access);
    if (const std::string part = formats::promql::unbalanced_part(settings.query); !part.empty()) {
        warn("query", "unbalanced-query", "the query cannot be read: " + part,
             "add the missing closing bracket or quote, or remove the extra one");
    }
    if (const std::string label = formats::promql::unquoted_label_of(settings.query); !label.empty()) {
        warn("query", "label-not-a-name",
             "Prometheus cannot read the query: " + label + " is not a label name in PromQL",
             "write the name as the scrape stores it, with '_' for each other character, or put it in quotes "
             "(Prometheus 3: {\"" +
                 label + "\"=...})");
    }
    if (settings.filled_by != nullptr) note_preset(read, *settings.filled_by, settings.query);
    if (settings.filled_by != nullptr && !read.is_written(keys["gputide.io/preset-selector"])) {
        warn("gputide.io/preset", "preset-without-selector",
             "the preset's query counts every series of that name on the server, also those of other workloads",
             "select this workload's series with gputide.io/preset-selector, such as namespace=\"ml\",pod=~\"llm-.*\"");
    }
    const access::settings& access = settings.access;
    if (access.modes.empty() && !(access.bearer_token.empty() && access.username.empty() &&
                                  access.custom_value.empty() && access.certificate.empty())) {
        warn("authModes", "credential-not-sent",
             "the TriggerAuthentication contains credentials, but without authModes none of them is sent",
             "set authModes: bearer, basic, tls or custom");
    }
    if (access.has("apiKey")) {
        warn("authModes", "credential-not-sent", "authModes apiKey sends nothing in a prometheus trigger, as in KEDA",
             "use bearer, basic, oauth, tls or custom");
    }
}

void warn_about_oauth(const trigger_reader& read, const access::settings& access) {
    if (!access.has("oauth") || read.is_refused("authModes")) return;
    if (!access.oauth) {
        read.warn("authModes", "credential-not-sent",
                  "authModes oauth sends nothing before KEDA 2.21, and gputide.io/keda-version names an older release",
                  "remove gputide.io/keda-version, or use bearer, basic, tls or custom");
    } else if (access.oauth->client_secret.empty() && !access.has("tls")) {
        read.warn("authModes", "oauth-without-secret",
                  "authModes oauth has no clientSecret: the token is requested with only the client ID",
                  "set clientSecret in the TriggerAuthentication, or authModes: oauth,tls with cert and key");
    }
    access::warn_oauth_over_http(read, access);
}

// Reads the keys of mode oauth.  KEDA before 2.21 accepts the mode and sends nothing.
void read_oauth(trigger_reader& read, settings& settings) {
    access::read_oauth(read, settings.access);
    if (!holds(manifest::version_rule::sends_oauth, read.rules().versions)) settings.access.oauth.reset();
    if (settings.access.oauth) settings.access.oauth->timeout_ms = settings.attempt_timeout_ms();
}

}  // namespace

std::int64_t query_settings::attempt_timeout_ms() const {
    return timeout_ms > 0 ? timeout_ms : limits::default_http_timeout_ms;
}

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    const manifest::trigger_rules& rules = read.rules();
    out.server_address = read.text_of(keys["serverAddress"]);
    read_query(read, out);
    read.read_threshold();
    out.name_space = read.text_of(keys["namespace"]);
    out.headers =
        read.pairs(keys["customHeaders"], rules.pairs_hold_equals).value_or(std::map<std::string, std::string>());
    out.parameters =
        read.pairs(keys["queryParameters"], rules.pairs_hold_equals).value_or(std::map<std::string, std::string>());
    out.reduction.ignore_null = read.flag(keys["ignoreNullValues"]).value_or(true);
    out.timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    out.access = access::read_settings(read);
    read_oauth(read, out);
    access::read_cloud_identity(read, out.access);
    out.access.unsafe_ssl = out.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    read_own_rules(read, out);
    if (!out.strict) out.reduction.max_value = shape_of_query(out.query).max;
    check_address(read, out);
    check_headers(read, out.headers);
    access::check_headers(read, out.access);
    warn_about(read, out);
    warn_about_oauth(read, out.access);
    return read.end("error parsing prometheus metadata", "prometheus", std::move(out));
}

}  // namespace gputide::source::prometheus
