// The strict profile's reader: encoding/json into KEDA's promQueryResult, quirk by quirk.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "formats/query_api/envelope.hpp"
#include "formats/query_api/parse.hpp"
#include "source/prometheus/judge.hpp"
#include "wire/errors.hpp"

namespace gputide::source::prometheus {
namespace {

namespace dom = simdjson::dom;
namespace query_api = formats::query_api;
using simdjson::SUCCESS;

// One entry of data.result: `value` where it is a list.
using element_value = std::optional<dom::array>;

error type_error(std::string_view member, std::string_view wanted) {
    return query_api::wrong_shape(format_text("{}: expected {} or null", member, wanted));
}

result<void> check_text(dom::element element, std::string_view member) {
    if (element.is_null() || element.is_string()) return {};
    return type_error(member, "a string");
}

result<element_value> read_element(dom::element element) {
    element_value out;
    if (element.is_null()) return out;
    dom::object content;
    if (element.get(content) != SUCCESS) return type_error("data.result[]", "an object");
    for (const auto& [key, value] : content) {
        if (equal_ignoring_case(key, "metric") && !value.is_null() && !value.is_object()) {
            return type_error("metric", "an object");
        }
        if (!equal_ignoring_case(key, "value")) continue;
        dom::array list;
        if (value.is_null()) {
            out.reset();
        } else if (value.get(list) != SUCCESS) {
            return type_error("value", "an array");
        } else {
            out = list;
        }
    }
    return out;
}

result<std::vector<element_value>> read_result(dom::element element) {
    std::vector<element_value> out;
    if (element.is_null()) return out;
    dom::array list;
    if (element.get(list) != SUCCESS) return type_error("data.result", "an array");
    for (const dom::element one : list) {
        auto read = read_element(one);
        if (!read) return std::move(read).failure();
        out.push_back(*read);
    }
    return out;
}

result<void> read_data(dom::element element, std::vector<element_value>& values) {
    if (element.is_null()) return {};
    dom::object content;
    if (element.get(content) != SUCCESS) return type_error("data", "an object");
    for (const auto& [key, value] : content) {
        if (equal_ignoring_case(key, "resultType")) {
            if (auto text = check_text(value, "data.resultType"); !text) return text;
        } else if (equal_ignoring_case(key, "result")) {
            auto read = read_result(value);
            if (!read) return std::move(read).failure();
            values = *std::move(read);
        }
    }
    return {};
}

result<std::vector<element_value>> read_root(dom::element element) {
    std::vector<element_value> out;
    if (element.is_null()) return out;
    dom::object root;
    if (element.get(root) != SUCCESS) return type_error("the body", "an object");
    for (const auto& [key, value] : root) {
        result<void> read;
        if (equal_ignoring_case(key, "status")) read = check_text(value, "status");
        if (equal_ignoring_case(key, "data")) read = read_data(value, out);
        if (!read) return std::move(read).failure();
    }
    return out;
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
    out.value = -1.0;  // KEDA's start value, which a null leaves in place
    if (content.is_null()) return out;
    std::string_view text;
    if (content.get(text) != SUCCESS) return query_api::wrong_shape("value[1]: expected a float text");
    const auto value = parse_go_float(text, true);
    if (!value) return query_api::wrong_shape("value[1]: expected a float text, got " + in_quotes(text));
    out.value = *value;
    return out;
}

// Go's decoder takes bytes that are no UTF-8 as U+FFFD.
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
    auto elements = read_root(root);
    if (!elements) return std::move(elements).failure();
    reading out;
    out.result_type = "vector";
    out.series.resize(elements->size());
    if (elements->size() != 1 || !elements->front() || elements->front()->size() == 0) return out;
    auto only = read_value(*elements->front(), query);
    if (!only) return std::move(only).failure();
    out.series.front().points.push_back(*only);
    return out;
}

}  // namespace

result<reading> parse_as_keda(const http::answer& answer, std::string_view query) {
    if (!answer.arrived()) return http::fault_error(answer);
    const http::response& response = answer.response;
    if (response.status < 200 || response.status > 299) {
        error out = http::fail_http(error_class::http, response.status,
                                    format_text("prometheus query api returned error. status: {}", response.status));
        http::note_retry_after(out, response);
        return out;
    }
    if (auto no = query_api::refusal(answer)) return *std::move(no);  // an encoding that nobody undid, the size limit
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
