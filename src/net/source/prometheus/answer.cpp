// Responses of the query API: the checks of a value, its age, and the strict profile's parser.
#include "base/format_text.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/description.hpp"
#include "source/prometheus/prometheus.hpp"
#include "wire/errors.hpp"

#include <optional>
#include <utility>

namespace gputide::source::prometheus {
namespace {

judge_texts texts_for(const query_settings& settings) {
    return {.empty = "prometheus metrics 'prometheus' target may be lost, the result is empty",
            .no_float = "prometheus metrics 'prometheus' target may be lost, the value list is empty",
            .several = format_text("prometheus query {} returned multiple elements", settings.query),
            .not_finite = "prometheus query returns"};
}

// Returns an error for a response that follows the API but has the wrong type for a trigger.
error not_a_number_at_all(std::string text) {
    error out = fail(error_class::bad_type, std::move(text));
    out.status = status::rejected;
    return out;
}

// Returns status ok if the response contains numbers.
error usable(const numbers& numbers, const query_settings& settings) {
    if (numbers.result_type == "string") {
        return not_a_number_at_all("the query returns a string; change it to return a number");
    }
    if (numbers.series > 0 && numbers.newest.empty()) {
        return not_a_number_at_all(
            "the query returns native histograms, which are not numbers; use histogram_quantile(), histogram_avg() or "
            "histogram_count() in it");
    }
    if (numbers.result_type == "matrix" && numbers.series > 0 && settings.reduction.reduce.empty()) {
        return fail(error_class::ambiguous,
                    "the query returns a range of points (a matrix); use avg_over_time() or last_over_time() in it, or "
                    "set a reducer (gputide.io/reduce) to take the last point of each series");
    }
    return error(status::ok);
}

// Returns the oldest time in an age query's response, in milliseconds.
std::optional<std::int64_t> oldest_ms(const numbers& numbers) {
    const formats::reduced oldest = formats::reduce(numbers.newest, "min");
    return oldest.used > 0 ? formats::query_api::milliseconds(oldest.value) : std::nullopt;
}

}  // namespace

fetched judge(const result<numbers>& numbers, const query_settings& settings) {
    if (!numbers) return judge_failure(numbers.failure());
    if (!settings.strict) {
        if (error why = usable(*numbers, settings); why.status != status::ok) return judge_failure(std::move(why));
    }
    // Most responses need no messages, and creating them costs as much as parsing the response.
    return judge_numbers(*numbers, settings.reduction,
                         is_plain_value(*numbers, settings.reduction) ? judge_texts() : texts_for(settings));
}

fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms) {
    if (value.sample.state != sample_state::ok || value.sample.null_as_zero) return value;
    if (!age) {
        error why = age.failure();
        why.message = "the value was read, but its age could not be read: " + why.message;
        fetched out = judge_failure(std::move(why));
        out.reading = std::move(value.reading);
        return out;
    }
    const auto sampled_ms = oldest_ms(*age);
    value.sample.time_ms = sampled_ms.value_or(0);
    if (!sampled_ms) return stale(std::move(value), "the age query returned no time, so the value counts as too old");
    if (now_ms - *sampled_ms > max_age_ms) {
        return stale(std::move(value), now_ms - *sampled_ms, max_age_ms, "the oldest sample behind the value",
                     "check the exporter and its scrape");
    }
    return value;
}

namespace {

namespace dom = simdjson::dom;
namespace query_api = formats::query_api;
using simdjson::SUCCESS;

// One entry of data.result: its `value` if that is a list.
using element_value = std::optional<dom::array>;

error type_error(std::string_view member, std::string_view wanted) {
    return query_api::wrong_shape(format_text("{}: expected {} or null", member, wanted));
}

result<void> check_text(dom::element element, std::string_view member) {
    if (element.is_null() || element.is_string()) return {};
    return type_error(member, "a string");
}

// Calls `how` for each member of an object; null has none.
result<void> each_member(dom::element element, std::string_view place,
                         function_ref<result<void>(std::string_view key, dom::element value)> how) {
    if (element.is_null()) return {};
    dom::object content;
    if (element.get(content) != SUCCESS) return type_error(place, "an object");
    for (const auto& [key, value] : content) {
        if (auto read = how(key, value); !read) return read;
    }
    return {};
}

result<void> read_element(dom::element element, element_value& into) {
    return each_member(element, "data.result[]", [&into](std::string_view key, dom::element value) -> result<void> {
        if (equal_ignoring_case(key, "metric") && !value.is_null() && !value.is_object()) {
            return type_error("metric", "an object");
        }
        if (!equal_ignoring_case(key, "value")) return {};
        dom::array list;
        if (!value.is_null() && value.get(list) != SUCCESS) return type_error("value", "an array");
        into = value.is_null() ? element_value() : element_value(list);
        return {};
    });
}

result<void> read_result(dom::element element, std::vector<element_value>& values) {
    values.clear();
    if (element.is_null()) return {};
    dom::array list;
    if (element.get(list) != SUCCESS) return type_error("data.result", "an array");
    for (const dom::element entry : list) {
        if (auto read = read_element(entry, values.emplace_back()); !read) return read;
    }
    return {};
}

result<void> read_data(dom::element element, std::vector<element_value>& values) {
    return each_member(element, "data", [&values](std::string_view key, dom::element value) -> result<void> {
        if (equal_ignoring_case(key, "resultType")) return check_text(value, "data.resultType");
        if (equal_ignoring_case(key, "result")) return read_result(value, values);
        return {};
    });
}

result<void> read_root(dom::element element, std::vector<element_value>& values) {
    return each_member(element, "the body", [&values](std::string_view key, dom::element value) -> result<void> {
        if (equal_ignoring_case(key, "status")) return check_text(value, "status");
        if (equal_ignoring_case(key, "data")) return read_data(value, values);
        return {};
    });
}

result<point> read_value(dom::array array, std::string_view query) {
    if (array.size() < 2) {
        return query_api::wrong_shape(format_text("prometheus query {} didn't return enough values", query));
    }
    point out;
    double seconds = 0.0;
    const dom::element time = array.at(0).value_unsafe();
    if (time.is_number() && time.get(seconds) == SUCCESS) out.time_ms = query_api::milliseconds(seconds).value_or(0);
    const dom::element content = array.at(1).value_unsafe();
    out.value = -1.0;  // KEDA's initial value, which null does not change
    if (content.is_null()) return out;
    std::string_view text;
    if (content.get(text) != SUCCESS) return query_api::wrong_shape("value[1]: expected a float text");
    const auto value = parse_go_float(text, true);
    if (!value) return query_api::wrong_shape("value[1]: expected a float text, got " + in_quotes(text));
    out.value = *value;
    return out;
}

// Replaces bytes that are not UTF-8 by U+FFFD, as Go's decoder does.
std::string with_valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    while (!text.empty()) {
        const std::size_t size = utf8_sequence_size(text);
        if (size == 0) out += "\xEF\xBF\xBD";
        if (size != 0) out += text.substr(0, size);
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return out;
}

result<reading> read_document(dom::element root, std::string_view query) {
    std::vector<element_value> elements;
    if (auto read = read_root(root, elements); !read) return read.take_failure();
    reading out;
    out.result_type = "vector";
    out.series.resize(elements.size());
    if (elements.size() != 1 || !elements.front() || elements.front()->size() == 0) return out;
    auto only = read_value(*elements.front(), query);
    if (!only) return only.take_failure();
    out.series.front().points.push_back(*only);
    return out;
}

}  // namespace

result<reading> parse_as_keda(const http::answer& answer, std::string_view query) {
    if (!answer.arrived()) return http::fault_error(answer);
    const http::response& response = answer.response;
    if (!response.is_success()) {
        error out = http::fail_http(error_class::http, response.status,
                                    format_text("prometheus query api returned error. status: {}", response.status));
        http::note_retry_after(out, response);
        return out;
    }
    if (auto no = query_api::refusal(answer))
        return *std::move(no);  // an encoding that was not decoded, or the size limit
    formats::scratch_use own(response.body);
    dom::element root;
    auto why = own->parse(response.body, root);
    std::string mended;
    if (why == simdjson::UTF8_ERROR) {
        mended = with_valid_utf8(response.body);
        why = own->parse(mended, root);
    }
    if (why != SUCCESS) return query_api::not_json(response, simdjson::error_message(why));
    return read_document(root, query);
}

}  // namespace gputide::source::prometheus
