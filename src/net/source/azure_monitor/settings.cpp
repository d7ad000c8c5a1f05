// Reads and checks the settings of an azure-monitor trigger.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <optional>

namespace gputide::source::azure_monitor {
namespace {

using manifest::parameters;

constexpr std::size_t max_resources = 50;                           // per batch request
constexpr std::int64_t longest_span_s = std::int64_t{93} * 86'400;  // Azure keeps platform metrics for 93 days
constexpr std::string_view batch_region_key = "gputide.io/batch-region";

std::string text(parameters& parameters, text::text_key key) { return parameters.text(key).value_or(""); }

bool is_host_label(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
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

void read_span(parameters& parameters, settings& settings) {
    constexpr text::text_key interval = keys["metricAggregationInterval"];
    constexpr std::string_view key = interval.name();
    const auto written = parameters.text(interval);
    if (!written) return;
    const auto parts = split(*written, ':');
    if (parts.size() != 3) {
        parameters.add_error("metricAggregationInterval not in the correct format. Should be hh:mm:ss", key);
        return;
    }
    const auto seconds = seconds_of(parts);
    settings.span_ms = seconds.value_or(0) * 1'000;
    if (seconds) return;
    settings.span_error =
        "metricAggregationInterval: expected hh:mm:ss with whole numbers, from one second to 93 days, got " +
        in_quotes(*written);
    if (!settings.strict) parameters.add_error(settings.span_error, key);
}

void read_aggregation(parameters& parameters, settings& settings) {
    constexpr text::text_key type = keys["metricAggregationType"];
    constexpr std::string_view key = type.name();
    settings.aggregation = text(parameters, type);
    if (settings.aggregation.empty()) return;
    for (const std::string_view known : {"Average", "Total", "Maximum", "Minimum", "Count"}) {
        if (settings.aggregation == known) return;
    }
    // KEDA accepts None; no response ever has a value for it.
    if (settings.strict && settings.aggregation == "None") return;
    parameters.add_error(
        "invalid metricAggregationType given: expected Average, Total, Maximum, Minimum or Count, got " +
            in_quotes(settings.aggregation),
        key);
}

void read_resource(parameters& parameters, std::string_view uri, const std::string& group_path, settings& settings) {
    const auto parts = split(uri, '/');
    const bool fits = parts.size() == 3 && (settings.strict || std::all_of(parts.begin(), parts.end(), [](auto entry) {
                                                return http::is_path_part(entry);
                                            }));
    if (!fits) {
        parameters.add_error(
            "resourceURI not in the correct format. Should be namespace/resource_type/resource_name, got " +
                in_quotes(uri),
            "resourceURI");
        return;
    }
    settings.resources.push_back(format_text("{}/providers/{}", group_path, uri));
}

void check_name(parameters& parameters, std::string_view key, std::string_view value, bool strict) {
    if (strict || value.empty() || http::is_path_part(value)) return;
    parameters.add_error(format_text("{}: expected one name without /, \\, ?, #, %, got {}", key, in_quotes(value)),
                         key);
}

void read_resources(parameters& parameters, settings& settings) {
    const std::string uri = text(parameters, keys["resourceURI"]);
    settings.subscription = text(parameters, keys["subscriptionId"]);
    const std::string group = text(parameters, keys["resourceGroupName"]);
    check_name(parameters, "subscriptionId", settings.subscription, settings.strict);
    check_name(parameters, "resourceGroupName", group, settings.strict);
    if (uri.empty()) return;
    const std::string group_path = format_text("/subscriptions/{}/resourceGroups/{}", settings.subscription, group);
    if (!settings.batch) return read_resource(parameters, uri, group_path, settings);
    for (const std::string_view text : split(uri, ',')) read_resource(parameters, trim(text), group_path, settings);
    if (settings.resources.size() > max_resources) {
        parameters.add_error(
            format_text("resourceURI: one batch request takes at most 50 resources, got {}; use several triggers",
                        settings.resources.size()),
            "resourceURI");
    }
}

// Reads the region of a batch request, and sets the endpoint.
void read_batch(parameters& parameters, settings& settings) {
    const auto region = parameters.text(keys[batch_region_key]);
    settings.batch = region.has_value();
    const auto api = settings.batch ? auth::azure_api::metrics_batch : auth::azure_api::resource_manager;
    settings.where = azure::read_endpoint(parameters, api, keys["azureResourceManagerEndpoint"], settings.strict);
    if (!settings.batch) return;
    if (!is_host_label(*region)) {
        parameters.add_error(
            format_text("{}: expected a region such as eastus, got {}", batch_region_key, in_quotes(*region)),
            batch_region_key);
    } else if (equal_ignoring_case(parameters.text(keys["cloud"]).value_or(""), "Private")) {
        parameters.add_error(std::string(batch_region_key) + ": a private cloud has no batch endpoint; remove this key",
                             batch_region_key);
    } else if (!settings.where.audience.hosts.empty()) {
        settings.where.base = format_text("https://{}.{}", lower(*region), settings.where.audience.hosts.front());
    }
}

void read_client(parameters& parameters, const manifest::trigger& trigger, settings& settings) {
    settings.who.identity = trigger.auth;
    settings.who.tenant_id = text(parameters, keys["tenantId"]);
    settings.who.client_id = text(parameters, keys["activeDirectoryClientId"]);
    settings.who.client_secret = parameters.secret(keys["activeDirectoryClientPassword"]).value_or(secret_text());
    if (!settings.who.has_identity() && !settings.who.needs_secret()) {
        parameters.add_error(format_text("azure Monitor doesn't support pod identity {}; use azure-workload, or "
                                         "activeDirectoryClientId and activeDirectoryClientPassword",
                                         settings.who.identity.provider),
                             "activeDirectoryClientId");
        return;
    }
    if (settings.who.has_identity()) return;
    if (settings.who.client_id.empty())
        parameters.add_error("no activeDirectoryClientId given", "activeDirectoryClientId");
    if (settings.who.client_secret.empty()) {
        parameters.add_error("no activeDirectoryClientPassword given", "activeDirectoryClientPassword");
    }
}

double read_target_value(parameters& parameters) {
    const std::size_t errors = parameters.errors().size();
    const double value = parameters.number(keys["targetValue"]).value_or(0.0);
    if (value == 0.0 && parameters.errors().size() == errors) {
        parameters.add_error("no targetValue given; expected a number other than 0", "targetValue");
    }
    return value;
}

void warn_about(const manifest::trigger& trigger, const parameters& read, const settings& settings,
                text::report* findings) {
    if (findings == nullptr || settings.span_ms >= default_span_ms || settings.strict) return;
    if (is_refused(trigger, read, "metricAggregationInterval")) return;
    findings->add(text::severity::warning, "short-span", read.place_of("metricAggregationInterval"),
                  trigger.label() +
                      ": metricAggregationInterval is shorter than Azure's own delay of up to 3 minutes, so a point "
                      "may not exist yet",
                  "write at least 0:5:0");
}

}  // namespace

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               manifest::profile as, text::report* findings, error* lacking) {
    parameters read(trigger, keys.all());
    settings out;
    out.strict = as == manifest::profile::strict;
    read_batch(read, out);
    read_resources(read, out);
    out.metric = text(read, keys["metricName"]);
    out.name_space = text(read, keys["metricNamespace"]);
    out.filter = text(read, keys["metricFilter"]);
    const std::string interval = text(read, keys["metricInterval"]);
    if (holds(manifest::version_rule::reads_metric_interval, rules.versions)) out.interval = interval;
    read_span(read, out);
    read_aggregation(read, out);
    const double target_value = read_target_value(read);
    const double activation = read.number(keys["activationTargetValue"]).value_or(0.0);
    read_client(read, trigger, out);
    out.reduction = {rules.reduce, false, rules.accept_partial};
    out.max_age_ms = rules.max_age_ms;
    out.last_non_null = rules.last_non_null || !out.strict;
    warn_about(trigger, read, out, findings);
    if (auto finished = finish(read, "error parsing azure monitor metadata", trigger, lacking); !finished)
        return finished.take_failure();
    auto target = external_target(trigger, "azure-monitor-" + out.metric, target_value, activation);
    if (!target) return target.take_failure();
    out.target = *std::move(target);
    return out;
}

}  // namespace gputide::source::azure_monitor
