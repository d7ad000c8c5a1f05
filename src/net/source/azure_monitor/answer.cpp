// Parses responses of Azure Monitor metrics.
#include "auth/azure/services.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/reduce.hpp"
#include "source/azure/azure.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/description.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

namespace dom = simdjson::dom;
using azure::unusable;
using formats::array_of;
using formats::number_of;
using formats::object_of;
using formats::text_of;
using simdjson::SUCCESS;

constexpr std::size_t max_message_bytes = 500;  // of a service's message

std::string asked_for(const settings& settings) {
    return format_text("{} and aggregate type {}", settings.metric, settings.aggregation);
}

error without(const settings& settings, const std::string& what) {
    return azure::no_data(format_text("got metric result for {} without {}", asked_for(settings), what));
}

// Returns the entry of the requested metric.
result<dom::object> metric_in(dom::object answer, const settings& settings) {
    const auto list = array_of(answer, "value");
    if (!list) return unusable("the answer has no member value with the metric " + settings.metric);
    if (list->size() == 0) return azure::no_data("Azure Monitor answered without the metric " + settings.metric);
    std::string others;
    for (const dom::element element : *list) {
        dom::object entry;
        if (element.get(entry) != SUCCESS)
            return unusable("value[]: expected objects for the metric " + settings.metric);
        const auto name = object_of(entry, "name");
        const std::string_view text = name ? text_of(*name, "value").value_or("") : std::string_view();
        if (equal_ignoring_case(text, settings.metric)) return entry;
        append_item(others, in_quotes(text));
    }
    return unusable(format_text("Azure Monitor answered with other metrics than {}: {}", settings.metric,
                                cut_utf8(others, max_message_bytes)));
}

std::optional<error> own_error(dom::object metric, const settings& settings) {
    const auto code = text_of(metric, "errorCode");
    if (!code || code->empty() || equal_ignoring_case(*code, "Success")) return std::nullopt;
    const auto message = text_of(metric, "errorMessage").value_or("");
    error out = fail(status::protocol, "Azure Monitor gave the metric {} with the error {}", settings.metric,
                     redact(cut_utf8(*code, max_message_bytes)));
    if (!message.empty()) out.message += ": " + redact(cut_utf8(message, max_message_bytes));
    out.error_class = error_class::peer;
    out.service_code = redact(cut_utf8(*code, max_message_bytes));
    out.retryable = true;
    return out;
}

labels labels_of(dom::object series) {
    labels out;
    formats::for_each_object(series, "metadatavalues", [&out](dom::object entry) {
        const auto name = object_of(entry, "name");
        const auto text = name ? text_of(*name, "value") : std::nullopt;
        if (text) out.emplace_back(*text, text_of(entry, "value").value_or(""));
    });
    return out;
}

// Returns nullopt if the point lacks the aggregation.
result<std::optional<point>> point_of(dom::element element, const std::string& member) {
    dom::object content;
    if (element.get(content) != SUCCESS) return unusable("timeseries[].data[]: expected an object");
    dom::element value;
    if (content.at_key(member).get(value) != SUCCESS || value.is_null()) return std::optional<point>();
    const auto number = number_of(value);
    if (!number) return unusable(format_text("timeseries[].data[].{}: expected a number", member));
    point out{0, *number};
    if (const auto stamp = text_of(content, "timeStamp")) {
        const auto time = parse_rfc3339(*stamp);
        if (!time) return unusable("timeStamp: expected an RFC 3339 time, got " + in_quotes(*stamp));
        out.time_ms = *time;
    }
    return std::optional<point>(out);
}

result<series> series_of(dom::object object, const std::string& member) {
    series out;
    out.labels = labels_of(object);
    const auto data = array_of(object, "data");
    if (!data) return out;
    for (const dom::element element : *data) {
        auto read = point_of(element, member);
        if (!read) return read.take_failure();
        if (*read) out.points.push_back(**read);
    }
    sort_stably(out.points, [](const point& a, const point& b) { return a.time_ms < b.time_ms; });
    return out;
}

// Returns the series of one metric entry.  Checks in the order of Azure Monitor's documentation.
result<std::vector<series>> series_in(dom::object answer, const settings& settings) {
    const auto metric = metric_in(answer, settings);
    if (!metric) return metric.failure();
    if (auto why = own_error(*metric, settings)) return *std::move(why);
    const auto list = array_of(*metric, "timeseries");
    if (!list || list->size() == 0) {
        return without(settings, "timeseries; nothing matches the time range" +
                                     std::string(settings.filter.empty() ? "" : " and metricFilter"));
    }
    std::vector<series> out;
    bool any_point = false;
    for (const dom::element element : *list) {
        dom::object content;
        if (element.get(content) != SUCCESS) return unusable("timeseries[]: expected an object");
        const auto data = array_of(content, "data");
        any_point = any_point || (data && data->size() > 0);
        auto read = series_of(content, lower(settings.aggregation));
        if (!read) return read.take_failure();
        out.push_back(*std::move(read));
    }
    if (!any_point) return without(settings, "any metric values");
    return out;
}

reading reading_of(std::vector<series> series) {
    reading out;
    out.result_type = "metrics";
    out.series = std::move(series);
    return out;
}

// ---- the strict profile: kedacore/keda pkg/scalers/azure_monitor_scaler.go ------------------------------------------------
// Returns the last point of the first series of the only metric.  With another number of metrics the value is -1 and not an
// error.
result<reading> read_as_keda(dom::object answer, const settings& settings) {
    const auto list = array_of(answer, "value");
    if (!list || list->size() != 1) return reading_of({series{{}, {{0, -1.0}}, {}}});
    dom::object metric;
    if (list->at(0).get(metric) != SUCCESS) return unusable("value[]: expected an object");
    const auto all = array_of(metric, "timeseries");
    if (!all || all->size() == 0) return without(settings, "timeseries");
    dom::object first;
    if (all->at(0).get(first) != SUCCESS) return unusable("timeseries[]: expected an object");
    const auto data = array_of(first, "data");
    if (!data || data->size() == 0) return without(settings, "any metric values");
    auto last = point_of(data->at(data->size() - 1).value_unsafe(), lower(settings.aggregation));
    if (!last) return last.take_failure();
    if (!*last)
        return azure::no_data(
            format_text("unsupported aggregation type {} for {}", settings.aggregation, settings.metric));
    return reading_of({series{labels_of(first), {**last}, {}}});
}

// ---- batch --------------------------------------------------------------------------------------------------------------
std::optional<dom::object> answer_for(const std::string& resource, dom::array array) {
    for (const dom::element element : array) {
        dom::object entry;
        if (element.get(entry) == SUCCESS && equal_ignoring_case(text_of(entry, "resourceid").value_or(""), resource)) {
            return entry;
        }
    }
    return std::nullopt;
}

void add_resource(const std::string& resource, const std::optional<dom::object>& answer, const settings& settings,
                  reading& into) {
    auto read = answer ? series_in(*answer, settings)
                       : result<std::vector<series>>(azure::no_data("Azure Monitor returned nothing for it"));
    if (!read) {
        into.warnings.push_back(format_text("{}: {}", resource, read.failure().message));
        into.partial = true;
        return;
    }
    for (series& series : *read) {
        series.labels.emplace_back("resourceid", resource);
        into.series.push_back(std::move(series));
    }
}

result<reading> read_batch(dom::object answer, const settings& settings) {
    const auto list = array_of(answer, "values");
    if (!list) return unusable("the batch answer has no member values with the metric " + settings.metric);
    reading out = reading_of({});
    for (const std::string& text : settings.resources) add_resource(text, answer_for(text, *list), settings, out);
    return out;
}

}  // namespace

result<reading> parse(const http::answer& answer, const settings& settings) {
    if (auto no = auth::service_refusal(answer, settings.where.base)) return *std::move(no);
    return azure::read_document(answer, [&settings](dom::object document) -> result<reading> {
        if (settings.batch) return read_batch(document, settings);
        if (settings.reads_as_keda()) return read_as_keda(document, settings);
        auto all = series_in(document, settings);
        if (!all) return all.take_failure();
        return reading_of(*std::move(all));
    });
}

namespace {

fetched partial(const reading& reading) {
    std::string missing;
    for (const std::string& text : reading.warnings) append_item(missing, text, "; ");
    error out = fail(error_class::partial,
                     "some resources have no value ({}); remove them, or accept partial results "
                     "(gputide.io/accept-partial: \"true\")",
                     missing);
    out.retryable = true;
    return judge_failure(std::move(out));
}

fetched nothing(const settings& settings) {
    error out =
        azure::no_data(format_text("no point of {} has the aggregate type {}; use a type that the metric supports "
                                   "(metricAggregationType), or a longer time range (metricAggregationInterval)",
                                   settings.metric, settings.aggregation));
    out.retryable = true;
    return judge_failure(std::move(out));
}

}  // namespace

fetched judge(const reading& reading, const settings& settings) {
    if (reading.partial && !settings.reduction.accept_partial) return partial(reading);
    numbers numbers = formats::numbers_of(reading);
    numbers.partial = false;
    if (numbers.newest.empty()) return nothing(settings);
    judge_texts say;
    say.several = format_text("got metric result for {} with several series", settings.metric);
    say.not_finite = format_text("Azure Monitor gave {} as", settings.metric);
    fetched out = judge_numbers(numbers, settings.reduction, say);
    if (out.sample.state != sample_state::ok) return out;
    // The newest point used gives the age.  All series end at the same minute, except those of resources that report late.
    for (const point& point : numbers.newest) out.sample.time_ms = std::max(out.sample.time_ms, point.time_ms);
    return out;
}

}  // namespace gputide::source::azure_monitor
