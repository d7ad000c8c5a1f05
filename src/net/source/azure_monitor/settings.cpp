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

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               manifest::profile as, text::report* findings, error* lacking) {
    trigger_reader read(trigger, keys.all(), findings);
    settings out;
    out.strict = as == manifest::profile::strict;
    read_batch(read, out);
    read_resources(read, out);
    out.metric = read.text_of(keys["metricName"]);
    out.name_space = read.text_of(keys["metricNamespace"]);
    out.filter = read.text_of(keys["metricFilter"]);
    const std::string interval = read.text_of(keys["metricInterval"]);
    if (holds(manifest::version_rule::reads_metric_interval, rules.versions)) out.interval = interval;
    read_span(read, out);
    read_aggregation(read, out);
    const double target_value = read.read_target_value(keys["targetValue"], "no targetValue given");
    const double activation = read.number(keys["activationTargetValue"]).value_or(0.0);
    read_client(read, out);
    out.reduction = {rules.reduce, false, rules.accept_partial};
    out.max_age_ms = rules.max_age_ms;
    out.last_non_null = rules.last_non_null || !out.strict;
    warn_about(read, out);
    const std::string name = "azure-monitor-" + out.metric;
    return read.end_with("error parsing azure monitor metadata", {name, target_value, activation}, lacking,
                         std::move(out));
}

}  // namespace gputide::source::azure_monitor
