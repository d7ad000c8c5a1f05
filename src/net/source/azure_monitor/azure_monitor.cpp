// Builds requests for Azure Monitor metrics.
#include "source/azure_monitor/azure_monitor.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace gputide::source::azure_monitor {
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

}  // namespace

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

namespace {

result<reading> read_answer(const http::answer& answer, const settings& settings) {
    if (!settings.batch) return parse(answer, settings);
    auto out = parse_batch(answer, settings);
    if (!out) return out.take_failure();
    return std::move(out->reading);
}

}  // namespace

std::string request_key(const settings& settings) {
    std::string out =
        format_text("azure-monitor\n{}\n{}\n{}\n{}\n{}\n{}\n{}", settings.where.base, settings.metric,
                    settings.name_space, settings.filter, settings.interval, settings.aggregation, settings.span_ms);
    out += format_text("\n{}\n{} {}{}", settings.reduction.reduce, settings.last_non_null ? "last-non-null" : "last",
                       settings.strict ? "strict" : "default", settings.reduction.accept_partial ? " partial" : "");
    for (const std::string& text : settings.resources) out += "\n" + text;
    return out;
}

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings) {
    error lacking{status::ok};
    return description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                          {&judge, &request_key, &settings::metric});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<azure_monitor::settings>();
    auto access = azure::open_access({settings->where, settings->who, true, settings->strict}, services);
    if (!access) return access.take_failure();
    return make_request_source(
        described,
        {.request = [settings](std::int64_t now_ms) { return build_request(*settings, now_ms); },
         .read = [settings](const http::answer& answer) { return read_answer(answer, *settings); },
         .max_age_ms = settings->max_age_ms,
         .age_remedy = "check whether the resource still reports " + settings->metric},
        *std::move(access), services.loop);
}

}  // namespace gputide::source::azure_monitor
