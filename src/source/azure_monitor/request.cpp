// Builds requests for Azure Monitor metrics.
#include "source/azure_monitor/request.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <string_view>

namespace gputide::source::azure_monitor {
namespace {

// The one that KEDA's client sends; every cloud serves it, Azure Stack included.
constexpr std::string_view api_version = "2018-01-01";
constexpr std::string_view batch_api_version = "2023-10-01";

// A path's slashes stay, all else is escaped.
std::string escaped_path(std::string_view path) {
    std::string out;
    const char* separator = "";
    for (const std::string_view part : split(path, '/')) {
        out += separator + percent_encode(part);
        separator = "/";
    }
    return out;
}

// A comma separates names here; one that belongs to a name is escaped twice.
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

// "/subscriptions/../providers/Microsoft.Compute/virtualMachineScaleSets/gpu" → "Microsoft.Compute/virtualMachineScaleSets"
std::string namespace_of(std::string_view resource) {
    constexpr std::string_view mark = "/providers/";
    const std::size_t start = resource.rfind(mark);
    if (start == std::string_view::npos) return {};
    const std::string_view type = resource.substr(start + mark.size());
    return std::string(type.substr(0, type.rfind('/')));
}

std::string name_of(const settings& from) { return from.strict ? from.metric : one_name(from.metric); }

http::request single(const settings& from, const std::string& start, const std::string& end) {
    std::string query;
    add(query, "api-version", api_version);
    add(query, "metricnames", name_of(from));
    add(query, "metricnamespace", from.name_space);
    add(query, "aggregation", from.aggregation);
    add(query, "timespan", format_text("{}/{}", start, end));
    add(query, "$filter", from.filter);
    http::request out;
    out.url = format_text("{}{}/providers/Microsoft.Insights/metrics{}", from.where.base,
                          escaped_path(from.resources.front()), query);
    return out;
}

http::request batch(const settings& from, const std::string& start, const std::string& end) {
    std::string query;
    add(query, "api-version", batch_api_version);
    add(query, "metricnames", name_of(from));
    add(query, "metricnamespace", from.name_space.empty() ? namespace_of(from.resources.front()) : from.name_space);
    add(query, "aggregation", from.aggregation);
    add(query, "starttime", start);
    add(query, "endtime", end);
    add(query, "filter", from.filter);
    json_writer body;
    body.begin_object().key("resourceids").begin_array();
    for (const std::string& one : from.resources) body.string(one);
    body.end_array().end_object();
    http::request out;
    out.method = "POST";
    out.url = format_text("{}/subscriptions/{}/metrics:getBatch{}", from.where.base, percent_encode(from.subscription),
                          query);
    out.body = secret_text(body.take());
    out.set("Content-Type", "application/json");
    return out;
}

}  // namespace

result<http::request> build_request(const settings& from, std::int64_t now_ms) {
    if (!from.span_error.empty()) {
        return fail(error_class::config, from.span_error);
    }
    const std::string start = format_rfc3339_s(now_ms - from.span_ms);
    const std::string end = format_rfc3339_s(now_ms);
    http::request out = from.batch ? batch(from, start, end) : single(from, start, end);
    out.set("Accept", "application/json");
    return out;
}

std::string request_key(const settings& from) {
    std::string out = "azure-monitor\n" + from.where.base + "\n" + from.metric + "\n" + from.name_space + "\n" +
                      from.filter + "\n" + from.aggregation + "\n" + std::to_string(from.span_ms) + "\n" +
                      from.reduction.reduce + (from.last_non_null ? "\nlast-non-null" : "\nlast") +
                      (from.strict ? " strict" : " default") + (from.reduction.accept_partial ? " partial" : "");
    for (const std::string& one : from.resources) out += "\n" + one;
    return out;
}

}  // namespace gputide::source::azure_monitor
