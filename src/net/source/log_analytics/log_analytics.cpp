// Settings of an azure-log-analytics trigger, its requests, and its source.
#include "source/log_analytics/log_analytics.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace gputide::source::log_analytics {

namespace {

constexpr std::string_view timespan_key = "gputide.io/timespan";
constexpr std::int64_t a_day_ms = 86'400'000;
constexpr std::int64_t strict_factor = 1'000'000;

void check_there(trigger_reader& read, std::string_view key, bool is_there) {
    if (is_there) return;
    read.add_error(std::string(key) + " was not found in metadata. Check your ScaledObject configuration", key);
}

bool is_guid(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool hex = std::string_view("0123456789abcdefABCDEF").find(text[i]) != std::string_view::npos;
        if (shape[i] == '-' ? text[i] != '-' : !hex) return false;
    }
    return true;
}

// Accepts a duration such as PT10M or P1DT12H, or two times or a time and a duration with a slash.  Checks only the characters;
// the service checks the rest.
bool is_timespan(std::string_view text) {
    const auto fits = [](std::string_view part) {
        const bool characters = std::ranges::all_of(part, [](char c) {
            return (c >= '0' && c <= '9') || std::string_view("PTYMWDHSZ:.+-").find(c) != std::string_view::npos;
        });
        return characters && part.size() >= 3 && (part.front() == 'P' || part.find('T') != std::string_view::npos);
    };
    const auto parts = split(text, '/');
    return parts.size() <= 2 && std::ranges::all_of(parts, fits);
}

void read_question(trigger_reader& read, settings& settings) {
    settings.workspace = read.text_of(keys["workspaceId"]);
    check_there(read, "workspaceId", !settings.workspace.empty());
    // The workspace ID becomes part of the URL's path.
    if (!settings.strict && !settings.workspace.empty() && !is_guid(settings.workspace)) {
        read.add_unexpected("workspaceId", "the workspace's id, a GUID such as 12345678-1234-1234-1234-123456789abc",
                            settings.workspace);
    }
    settings.query = read.text_of(keys["query"]);
    check_there(read, "query", !settings.query.empty());
    settings.timespan = read.text(keys[timespan_key]).value_or(settings.strict ? "" : std::string(default_timespan));
    if (settings.timespan.empty() || is_timespan(settings.timespan)) return;
    read.add_unexpected(timespan_key, "an ISO 8601 duration such as PT10M, or start/end", settings.timespan);
}

void read_client(trigger_reader& read, settings& settings) {
    settings.who.identity = read.trigger().auth;
    settings.who.tenant_id = read.text_of(keys["tenantId"]);
    settings.who.client_id = read.text_of(keys["clientId"]);
    settings.who.client_secret = read.secret_of(keys["clientSecret"]);
    if (settings.who.has_identity()) return;
    if (!settings.who.needs_secret()) {
        read.add_error(format_text("Log Analytics Scaler doesn't support pod identity {}; use azure-workload, or "
                                   "tenantId, clientId and clientSecret",
                                   settings.who.identity.provider),
                       "clientId");
        return;
    }
    check_there(read, "tenantId", !settings.who.tenant_id.empty());
    check_there(read, "clientId", !settings.who.client_id.empty());
    check_there(read, "clientSecret", !settings.who.client_secret.empty());
}

// Reads unsafeSsl and timeout.  In KEDA the milliseconds of `timeout` are multiplied by a million, so such a request ends only at
// the call's own deadline.
void read_transport(trigger_reader& read, settings& settings) {
    settings.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    const std::int64_t asked_ms = std::min(read.duration_ms(keys["timeout"]).value_or(0), a_day_ms);
    settings.attempt_timeout_ms = asked_ms > 0 ? asked_ms : limits::default_http_timeout_ms;
    if (settings.strict && asked_ms > 0) settings.attempt_timeout_ms = std::min(asked_ms * strict_factor, a_day_ms);
}

void read_endpoint(trigger_reader& read, settings& settings) {
    settings.where =
        azure::read_endpoint(read, auth::azure_api::log_analytics, keys["logAnalyticsResourceURL"], settings.strict);
    // KEDA uses the older host name, which still works.
    if (settings.strict && settings.where.base == "https://api.loganalytics.azure.com") {
        settings.where.base = "https://api.loganalytics.io";
    }
}

void warn_about(const trigger_reader& read, const settings& settings) {
    if (const auto metric = vanished_metric(settings.query); !metric.empty()) {
        read.warn("query", "metric-not-collected", vanished_text(metric),
                  "use a trigger of type prometheus on Azure Managed Prometheus");
    }
    if (settings.unsafe_ssl) {
        read.warn("unsafeSsl", "tls-not-verified", "unsafeSsl is true: any host on the way can impersonate the service",
                  "remove it");
    }
}

}  // namespace

std::string_view vanished_metric(std::string_view query) {
    static constexpr std::array<std::string_view, 3> names = {"containerGpuDutyCycle", "containerGpumemoryUsedBytes",
                                                              "containerGpumemoryTotalBytes"};
    const std::string text = lower(query);
    for (const std::string_view name : names) {
        if (text.find(lower(name)) != std::string::npos) return name;
    }
    return {};
}

std::string vanished_text(std::string_view metric) {
    return std::string(metric) +
           " is no longer collected: Container Insights took it from the kubelet's accelerator metrics, which "
           "Kubernetes "
           "removed. Use Azure Managed Prometheus with the DCGM exporter instead (DCGM_FI_DEV_GPU_UTIL, "
           "DCGM_FI_DEV_FB_USED)";
}

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    read_client(read, out);
    read_question(read, out);
    const auto threshold = read.number(keys["threshold"]);
    if (read.errors().empty()) check_there(read, "threshold", threshold.has_value());
    read.set_threshold(threshold.value_or(0.0), read.number(keys["activationThreshold"]).value_or(0.0));
    read_endpoint(read, out);
    read_transport(read, out);
    warn_about(read, out);
    const std::string name = "azure-log-analytics-" + out.workspace;
    return read.end("error parsing metadata. Details", name, std::move(out));
}

namespace {

// Builds the HTTP request, without authentication.  The time span ends at the service's own current time.
// POST {base}/v1/workspaces/{id}/query, Content-Type: application/json, {"query":"..","timespan":"PT10M"}.
// `Prefer: wait=N` lets the service stop when the caller has given up; the service's own limit is 600 s.  KEDA does not send it.
http::request build_request(const settings& settings) {
    constexpr std::int64_t longest_wait_s = 600;
    json_writer body;
    body.begin_object().member("query", settings.query);
    if (!settings.timespan.empty()) body.member("timespan", settings.timespan);
    body.end_object();
    http::request out;
    out.method = "POST";
    out.url = format_text("{}/v1/workspaces/{}/query", settings.where.base, percent_encode(settings.workspace));
    out.body = secret_text(body.take());
    out.set("Content-Type", "application/json");
    out.set("Accept", "application/json");
    if (!settings.strict) {
        const std::int64_t wait_s = std::min((settings.attempt_timeout_ms + 999) / 1'000, longest_wait_s);
        out.set("Prefer", format_text("wait={}", wait_s));
    }
    out.attempt_timeout_ms = settings.attempt_timeout_ms;
    out.connect_timeout_ms = std::min(out.connect_timeout_ms, out.attempt_timeout_ms);
    return out;
}

std::string request_key(const settings& settings) {
    const std::string flags =
        format_text("{} {}{}", settings.strict ? "strict" : "default", settings.unsafe_ssl ? "unverified" : "verified",
                    settings.reduction.accept_partial ? " partial" : "");
    return format_text("azure-log-analytics\n{}\n{}\n{}\n{}\n{}\n{}\n{}", settings.where.base, settings.workspace,
                       settings.timespan, settings.reduction.reduce, flags, settings.attempt_timeout_ms,
                       settings.query);
}

}  // namespace

result<description> describe(trigger_reader& read) {
    return description_of(read, read_settings(read), {&judge, &request_key, &settings::query});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<log_analytics::settings>();
    auto access = azure::open_access(*settings, services);
    if (!access) return access.take_failure();
    request_parts parts{.request = [settings](std::int64_t) { return build_request(*settings); },
                        .read = [settings](const http::answer& answer) { return parse(answer, *settings); },
                        .max_age_ms = settings->max_age_ms,
                        .age_remedy = "check whether the rows that the query reads still arrive"};
    // A query that the service aborted as too expensive would cost the same again.
    parts.retry.again = [usual = parts.retry.again](const http::answer& answer) {
        return !is_too_heavy(answer) && usual(answer);
    };
    return make_request_source(described, std::move(parts), *std::move(access), services.loop);
}

}  // namespace gputide::source::log_analytics
