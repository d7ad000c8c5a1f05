// Reads and checks the settings of an azure-monitor trigger.
#include "source/azure_monitor/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/azure_monitor/keys.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace gputide::source::azure_monitor {
namespace {

using config::parameters;

constexpr std::size_t most_resources = 50;            // of one batch request
constexpr std::int64_t longest_span_s = 93 * 86'400;  // Azure keeps platform metrics for 93 days
constexpr std::string_view batch_region_key = "gputide.io/batch-region";

std::string text(parameters& from, config::text_key what) { return from.text(what).value_or(""); }

bool is_host_label(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// "0:15:0" → 900 s.
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

void read_span(parameters& from, settings& into) {
    constexpr config::text_key interval = keys["metricAggregationInterval"];
    constexpr std::string_view key = interval.name();
    const auto written = from.text(interval);
    if (!written) return;
    const auto parts = split(*written, ':');
    if (parts.size() != 3) {
        from.add_error("metricAggregationInterval not in the correct format. Should be hh:mm:ss", key);
        return;
    }
    const auto seconds = seconds_of(parts);
    into.span_ms = seconds.value_or(0) * 1'000;
    if (seconds) return;
    into.span_error =
        "metricAggregationInterval: expected hh:mm:ss with whole numbers, from one second to 93 days, got " +
        in_quotes(*written);
    if (!into.strict) from.add_error(into.span_error, key);
}

void read_aggregation(parameters& from, settings& into) {
    constexpr config::text_key type = keys["metricAggregationType"];
    constexpr std::string_view key = type.name();
    into.aggregation = text(from, type);
    if (into.aggregation.empty()) return;
    for (const std::string_view known : {"Average", "Total", "Maximum", "Minimum", "Count"}) {
        if (into.aggregation == known) return;
    }
    // KEDA lets None through; no answer ever has a value for it.
    if (into.strict && into.aggregation == "None") return;
    from.add_error("invalid metricAggregationType given: expected Average, Total, Maximum, Minimum or Count, got " +
                       in_quotes(into.aggregation),
                   key);
}

void read_resource(parameters& from, std::string_view uri, const std::string& group_path, settings& into) {
    const auto parts = split(uri, '/');
    const bool fits =
        parts.size() == 3 &&
        (into.strict || std::all_of(parts.begin(), parts.end(), [](auto one) { return azure::is_path_part(one); }));
    if (!fits) {
        from.add_error("resourceURI not in the correct format. Should be namespace/resource_type/resource_name, got " +
                           in_quotes(uri),
                       "resourceURI");
        return;
    }
    into.resources.push_back(format_text("{}/providers/{}", group_path, uri));
}

void check_name(parameters& from, std::string_view key, std::string_view value, bool strict) {
    if (strict || value.empty() || azure::is_path_part(value)) return;
    from.add_error(format_text("{}: expected one name without /, \\, ?, #, %, got {}", key, in_quotes(value)), key);
}

void read_resources(parameters& from, settings& into) {
    const std::string uri = text(from, keys["resourceURI"]);
    into.subscription = text(from, keys["subscriptionId"]);
    const std::string group = text(from, keys["resourceGroupName"]);
    check_name(from, "subscriptionId", into.subscription, into.strict);
    check_name(from, "resourceGroupName", group, into.strict);
    if (uri.empty()) return;
    const std::string group_path = format_text("/subscriptions/{}/resourceGroups/{}", into.subscription, group);
    if (!into.batch) return read_resource(from, uri, group_path, into);
    for (const std::string_view one : split(uri, ',')) read_resource(from, trim(one), group_path, into);
    if (into.resources.size() > most_resources) {
        from.add_error(
            format_text("resourceURI: one batch request takes at most 50 resources, got {}; use several triggers",
                        into.resources.size()),
            "resourceURI");
    }
}

// The data plane of one region; it needs the namespace, which a resource of the platform has in its name.
void read_batch(parameters& from, settings& into) {
    const auto region = from.text(keys[batch_region_key]);
    into.batch = region.has_value();
    const auto api = into.batch ? auth::azure_api::metrics_batch : auth::azure_api::resource_manager;
    into.where = azure::read_endpoint(from, api, keys["azureResourceManagerEndpoint"], into.strict);
    if (!into.batch) return;
    if (!is_host_label(*region)) {
        from.add_error(
            format_text("{}: expected a region such as eastus, got {}", batch_region_key, in_quotes(*region)),
            batch_region_key);
    } else if (equal_ignoring_case(from.text(keys["cloud"]).value_or(""), "Private")) {
        from.add_error(std::string(batch_region_key) + ": there is no batch endpoint in a private cloud; remove it",
                       batch_region_key);
    } else if (!into.where.audience.hosts.empty()) {
        into.where.base = format_text("https://{}.{}", lower(*region), into.where.audience.hosts.front());
    }
}

void read_client(parameters& from, const config::trigger& trigger, settings& into) {
    into.who.provider = trigger.auth.provider;
    into.who.tenant_id = text(from, keys["tenantId"]);
    into.who.client_id = text(from, keys["activeDirectoryClientId"]);
    into.who.client_secret = from.secret(keys["activeDirectoryClientPassword"]).value_or(secret_text());
    if (!into.who.has_identity() && !into.who.needs_secret()) {
        from.add_error(format_text("azure Monitor doesn't support pod identity {}; use azure-workload, or "
                                   "activeDirectoryClientId and activeDirectoryClientPassword",
                                   into.who.provider),
                       "activeDirectoryClientId");
        return;
    }
    if (into.who.has_identity()) return;
    if (into.who.client_id.empty()) from.add_error("no activeDirectoryClientId given", "activeDirectoryClientId");
    if (into.who.client_secret.empty()) {
        from.add_error("no activeDirectoryClientPassword given", "activeDirectoryClientPassword");
    }
}

double read_target_value(parameters& from) {
    const std::size_t errors = from.errors().size();
    const double value = from.number(keys["targetValue"]).value_or(0.0);
    if (value == 0.0 && from.errors().size() == errors) {
        from.add_error("no targetValue given; expected a number other than 0", "targetValue");
    }
    return value;
}

void warn_about(const config::trigger& from, const parameters& read, const settings& got, config::report* findings) {
    if (findings == nullptr || got.span_ms >= default_span_ms || got.strict) return;
    if (is_refused(from, read, "metricAggregationInterval")) return;
    findings->add(config::severity::warning, "short-span", read.place_of("metricAggregationInterval"),
                  from.label() +
                      ": metricAggregationInterval is shorter than Azure's own delay of up to 3 minutes, so "
                      "that no point may be there yet",
                  "write at least 0:5:0");
}

}  // namespace

result<settings> read_settings(const config::trigger& from, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking) {
    parameters read(from, keys.all());
    settings out;
    out.strict = as == config::profile::strict;
    read_batch(read, out);
    read_resources(read, out);
    out.metric = text(read, keys["metricName"]);
    out.name_space = text(read, keys["metricNamespace"]);
    out.filter = text(read, keys["metricFilter"]);
    read_span(read, out);
    read_aggregation(read, out);
    const double target_value = read_target_value(read);
    const double activation = read.number(keys["activationTargetValue"]).value_or(0.0);
    read_client(read, from, out);
    out.reduction = {rules.reduce, false, rules.accept_partial};
    out.max_age_ms = rules.max_age_ms;
    out.last_non_null = rules.last_non_null || !out.strict;
    warn_about(from, read, out, findings);
    if (auto finished = finish(read, "error parsing azure monitor metadata", from, lacking); !finished)
        return std::move(finished).failure();
    auto target = external_target(from, "azure-monitor-" + out.metric, target_value, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    return out;
}

}  // namespace gputide::source::azure_monitor
