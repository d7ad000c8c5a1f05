// Settings of an azure-monitor trigger, its requests, and its source.
#include "source/azure_monitor/azure_monitor.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "http/message.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

constexpr std::size_t max_resources = 50;                           // per batch request
constexpr std::int64_t longest_span_s = std::int64_t{93} * 86'400;  // Azure keeps platform metrics for 93 days
constexpr std::string_view batch_region_key = "gputide.io/batch-region";

bool is_host_label(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

// Returns 900 for "0:15:0".
std::optional<std::int64_t> seconds_of(const std::vector<std::string_view>& parts) {
    std::int64_t out = 0;
    for (const std::string_view part : parts) {
        const auto number = parse_int64(trim(part));
        if (!number || *number < 0 || *number > longest_span_s) return std::nullopt;
        out = out * 60 + *number;
    }
    if (out <= 0 || out > longest_span_s) return std::nullopt;
    return out;
}

void read_span(trigger_reader& read, settings& settings) {
    constexpr text::text_key interval = keys["metricAggregationInterval"];
    constexpr std::string_view key = interval.name();
    const auto written = read.text(interval);
    if (!written) return;
    const auto parts = split(*written, ':');
    if (parts.size() != 3) {
        read.add_error("metricAggregationInterval not in the correct format. Should be hh:mm:ss", key);
        return;
    }
    const auto seconds = seconds_of(parts);
    settings.span_ms = seconds.value_or(0) * 1'000;
    if (seconds) return;
    settings.span_error =
        "metricAggregationInterval: expected hh:mm:ss with whole numbers, from one second to 93 days, got " +
        in_quotes(*written);
    if (!settings.strict) read.add_error(settings.span_error, key);
}

void read_aggregation(trigger_reader& read, settings& settings) {
    constexpr text::text_key type = keys["metricAggregationType"];
    constexpr std::string_view key = type.name();
    settings.aggregation = read.text_of(type);
    if (settings.aggregation.empty()) return;
    for (const std::string_view known : {"Average", "Total", "Maximum", "Minimum", "Count"}) {
        if (settings.aggregation == known) return;
    }
    // KEDA accepts None; no response ever has a value for it.
    if (settings.strict && settings.aggregation == "None") return;
    read.add_error("invalid metricAggregationType given: expected Average, Total, Maximum, Minimum or Count, got " +
                       in_quotes(settings.aggregation),
                   key);
}

void read_resource(trigger_reader& read, std::string_view uri, const std::string& group_path, settings& settings) {
    const auto parts = split(uri, '/');
    const bool fits =
        parts.size() == 3 &&
        (settings.strict || std::ranges::all_of(parts, [](auto entry) { return http::is_path_part(entry); }));
    if (!fits) {
        read.add_error("resourceURI not in the correct format. Should be namespace/resource_type/resource_name, got " +
                           in_quotes(uri),
                       "resourceURI");
        return;
    }
    settings.resources.push_back(format_text("{}/providers/{}", group_path, uri));
}

void check_name(trigger_reader& read, std::string_view key, std::string_view value, bool strict) {
    if (strict || value.empty() || http::is_path_part(value)) return;
    read.add_unexpected(key, "one name without /, \\, ?, #, %", value);
}

void read_resources(trigger_reader& read, settings& settings) {
    const std::string uri = read.text_of(keys["resourceURI"]);
    settings.subscription = read.text_of(keys["subscriptionId"]);
    const std::string group = read.text_of(keys["resourceGroupName"]);
    check_name(read, "subscriptionId", settings.subscription, settings.strict);
    check_name(read, "resourceGroupName", group, settings.strict);
    if (uri.empty()) return;
    const std::string group_path = format_text("/subscriptions/{}/resourceGroups/{}", settings.subscription, group);
    if (!settings.batch) return read_resource(read, uri, group_path, settings);
    for (const std::string_view text : split(uri, ',')) read_resource(read, trim(text), group_path, settings);
    if (settings.resources.size() > max_resources) {
        read.add_error(
            format_text("resourceURI: one batch request takes at most 50 resources, got {}; use several triggers",
                        settings.resources.size()),
            "resourceURI");
    }
}

// Reads the region of a batch request, and sets the endpoint.
void read_batch(trigger_reader& read, settings& settings) {
    const auto region = read.text(keys[batch_region_key]);
    settings.batch = region.has_value();
    const auto api = settings.batch ? auth::azure_api::metrics_batch : auth::azure_api::resource_manager;
    settings.where = azure::read_endpoint(read, api, keys["azureResourceManagerEndpoint"], settings.strict);
    if (!settings.batch) return;
    if (!is_host_label(*region)) {
        read.add_unexpected(batch_region_key, "a region such as eastus", *region);
    } else if (equal_ignoring_case(read.text_of(keys["cloud"]), "Private")) {
        read.add_error(std::string(batch_region_key) + ": a private cloud has no batch endpoint; remove this key",
                       batch_region_key);
    } else if (!settings.where.audience.hosts.empty()) {
        settings.where.base = format_text("https://{}.{}", lower(*region), settings.where.audience.hosts.front());
    }
}

void read_client(trigger_reader& read, settings& settings) {
    settings.who.identity = read.trigger().auth;
    settings.who.tenant_id = read.text_of(keys["tenantId"]);
    settings.who.client_id = read.text_of(keys["activeDirectoryClientId"]);
    settings.who.client_secret = read.secret_of(keys["activeDirectoryClientPassword"]);
    if (!settings.who.has_identity() && !settings.who.needs_secret()) {
        read.add_error(format_text("azure Monitor doesn't support pod identity {}; use azure-workload, or "
                                   "activeDirectoryClientId and activeDirectoryClientPassword",
                                   settings.who.identity.provider),
                       "activeDirectoryClientId");
        return;
    }
    if (settings.who.has_identity()) return;
    if (settings.who.client_id.empty()) read.add_error("no activeDirectoryClientId given", "activeDirectoryClientId");
    if (settings.who.client_secret.empty()) {
        read.add_error("no activeDirectoryClientPassword given", "activeDirectoryClientPassword");
    }
}

void warn_about(const trigger_reader& read, const settings& settings) {
    if (settings.span_ms >= default_span_ms || settings.strict || read.is_refused("metricAggregationInterval")) return;
    read.warn("metricAggregationInterval", "short-span",
              "metricAggregationInterval is shorter than Azure's own delay of up to 3 minutes, so a point may not "
              "exist yet",
              "write at least 0:5:0");
}

}  // namespace

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    read_batch(read, out);
    read_resources(read, out);
    out.metric = read.text_of(keys["metricName"]);
    out.name_space = read.text_of(keys["metricNamespace"]);
    out.filter = read.text_of(keys["metricFilter"]);
    const std::string interval = read.text_of(keys["metricInterval"]);
    if (holds(manifest::version_rule::reads_metric_interval, read.rules().versions)) out.interval = interval;
    read_span(read, out);
    read_aggregation(read, out);
    read.read_target_value("no targetValue given");
    read_client(read, out);
    out.last_non_null = read.rules().last_non_null || !out.strict;
    warn_about(read, out);
    const std::string name = "azure-monitor-" + out.metric;
    return read.end("error parsing azure monitor metadata", name, std::move(out));
}

namespace {

// The version that KEDA's client sends; every cloud supports it, including Azure Stack.
constexpr std::string_view api_version = "2018-01-01";
constexpr std::string_view batch_api_version = "2023-10-01";

// Escapes a path, except its slashes.
std::string escaped_path(std::string_view path) {
    std::string out;
    const char* separator = "";
    for (const std::string_view part : split(path, '/'))
        out.append(std::exchange(separator, "/")).append(percent_encode(part));
    return out;
}

// Escapes a metric name.  A comma separates names here, so a comma inside a name is escaped twice.
std::string one_name(std::string_view metric) {
    std::string out;
    for (const char c : metric) {
        if (c == ',') {
            out += "%2C";
        } else {
            out.push_back(c);
        }
    }
    return out;
}

void add(std::string& to, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    to.append(to.empty() ? "?" : "&").append(name).append("=").append(percent_encode(value));
}

// Returns "Microsoft.Compute/virtualMachineScaleSets" for
// "/subscriptions/../providers/Microsoft.Compute/virtualMachineScaleSets/gpu".
std::string namespace_of(std::string_view resource) {
    constexpr std::string_view mark = "/providers/";
    const std::size_t start = resource.rfind(mark);
    if (start == std::string_view::npos) return {};
    const std::string_view type = resource.substr(start + mark.size());
    return std::string(type.substr(0, type.rfind('/')));
}

std::string name_of(const settings& settings) { return settings.strict ? settings.metric : one_name(settings.metric); }

http::request single(const settings& settings, const std::string& start, const std::string& end) {
    std::string query;
    add(query, "api-version", api_version);
    add(query, "metricnames", name_of(settings));
    add(query, "metricnamespace", settings.name_space);
    add(query, "aggregation", settings.aggregation);
    add(query, "timespan", format_text("{}/{}", start, end));
    add(query, "interval", settings.interval);
    add(query, "$filter", settings.filter);
    http::request out;
    out.url = format_text("{}{}/providers/Microsoft.Insights/metrics{}", settings.where.base,
                          escaped_path(settings.resources.front()), query);
    return out;
}

http::request batch(const settings& settings, const std::string& start, const std::string& end) {
    std::string query;
    add(query, "api-version", batch_api_version);
    add(query, "metricnames", name_of(settings));
    add(query, "metricnamespace",
        settings.name_space.empty() ? namespace_of(settings.resources.front()) : settings.name_space);
    add(query, "aggregation", settings.aggregation);
    add(query, "starttime", start);
    add(query, "endtime", end);
    add(query, "interval", settings.interval);
    add(query, "filter", settings.filter);
    json_writer body;
    body.begin_object().key("resourceids").begin_array();
    for (const std::string& text : settings.resources) body.string(text);
    body.end_array().end_object();
    http::request out;
    out.method = "POST";
    out.url = format_text("{}/subscriptions/{}/metrics:getBatch{}", settings.where.base,
                          percent_encode(settings.subscription), query);
    out.body = secret_text(body.take());
    out.set("Content-Type", "application/json");
    return out;
}

// Builds the HTTP request for a time, without authentication.
//   resource manager  GET {base}{resource}/providers/Microsoft.Insights/metrics?metricnames=..&timespan=<start>/<end>&..
//   batch             POST {base}/subscriptions/{id}/metrics:getBatch?..&starttime=..&endtime=.., {"resourceids":[..]}
// Sends no interval unless metricInterval is set: the service then chooses one (one minute).
// now 08:53:20, span 5 min → 2025-10-09T08:48:20Z/2025-10-09T08:53:20Z.
result<http::request> build_request(const settings& settings, std::int64_t now_ms) {
    if (!settings.span_error.empty()) {
        return fail(error_class::config, settings.span_error);
    }
    const std::string start = format_rfc3339_s(now_ms - settings.span_ms);
    const std::string end = format_rfc3339_s(now_ms);
    http::request out = settings.batch ? batch(settings, start, end) : single(settings, start, end);
    out.set("Accept", "application/json");
    return out;
}

std::string request_key(const settings& settings) {
    std::string out =
        format_text("azure-monitor\n{}\n{}\n{}\n{}\n{}\n{}\n{}", settings.where.base, settings.metric,
                    settings.name_space, settings.filter, settings.interval, settings.aggregation, settings.span_ms);
    out += format_text("\n{}\n{} {}{}", settings.reduction.reduce, settings.last_non_null ? "last-non-null" : "last",
                       settings.strict ? "strict" : "default", settings.reduction.accept_partial ? " partial" : "");
    for (const std::string& text : settings.resources) out += "\n" + text;
    return out;
}

}  // namespace

result<description> describe(trigger_reader& read) {
    return description_of(read, read_settings(read), {&judge, &request_key, &settings::metric});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<azure_monitor::settings>();
    auto access = azure::open_access(*settings, services);
    if (!access) return access.take_failure();
    return make_request_source(described,
                               {.request = [settings](std::int64_t now_ms) { return build_request(*settings, now_ms); },
                                .read = [settings](const http::answer& answer) { return parse(answer, *settings); },
                                .max_age_ms = settings->max_age_ms,
                                .age_remedy = "check whether the resource still reports " + settings->metric},
                               *std::move(access), services.loop);
}

}  // namespace gputide::source::azure_monitor
