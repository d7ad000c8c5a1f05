// The full parser: simdjson's DOM checks the document, then each member is read by its type.
#include "formats/query_api/parse.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "formats/query_api/envelope.hpp"
#include "formats/query_api/series.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace gputide::formats::query_api {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

bool is_null(const std::optional<dom::element>& value) { return !value || value->is_null(); }

result<void> read_all_series(dom::element element, bool is_matrix, reading& reading) {
    dom::array list;
    if (element.get(list) != SUCCESS) return wrong_shape("data.result: expected an array");
    for (const dom::element entry : list) {
        if (reading.series.size() == limits::series) {
            return over_limit(format_text("the answer has more than {} series", limits::series));
        }
        auto read = series_of(entry, is_matrix);
        if (!read) return read.take_failure();
        reading.series.push_back(*std::move(read));
    }
    return {};
}

result<void> read_scalar(dom::element element, reading& reading) {
    series only;
    if (!read_point(element, only.points)) return wrong_shape("a scalar is not [time, \"value\"]");
    reading.series.push_back(std::move(only));
    return {};
}

result<void> read_string(dom::element element, reading& reading) {
    const auto pair = timed_pair(element);
    std::string_view text;
    if (!pair || pair->content.get(text) != SUCCESS) return wrong_shape("a string is not [time, \"text\"]");
    reading.string_time_ms = pair->time_ms;
    reading.string_value = text;
    return {};
}

result<void> read_data(const std::optional<dom::element>& element, reading& reading) {
    dom::object data;
    if (!element || element->get(data) != SUCCESS) return wrong_shape("data: expected an object");
    std::optional<dom::element> type;
    std::optional<dom::element> content;
    const known_members known(data);
    if (!known.take("resultType", type) || !known.take("result", content)) {
        return wrong_shape("data has a member twice");
    }
    std::string_view name;
    if (!type || type->get(name) != SUCCESS) return wrong_shape("data.resultType: expected a string");
    if (!content) return wrong_shape("data.result is missing");
    reading.result_type = name;
    if (name == "vector" || name == "matrix") return read_all_series(*content, name == "matrix", reading);
    if (name == "scalar") return read_scalar(*content, reading);
    if (name == "string") return read_string(*content, reading);
    return wrong_shape("data.resultType: expected vector, matrix, scalar or string, got " + in_quotes(name));
}

// Parses warnings and infos: null, or an array of strings.
bool read_notes(const std::optional<dom::element>& element, std::vector<std::string>& into) {
    if (is_null(element)) return true;
    return read_each(*element, [&into](dom::element entry) {
        std::string_view text;
        if (entry.get(text) != SUCCESS) return false;
        into.emplace_back(text);
        return true;
    });
}

result<reading> read_envelope(dom::object root, std::int32_t http_status) {
    std::optional<dom::element> state;
    std::optional<dom::element> data;
    std::optional<dom::element> warnings;
    std::optional<dom::element> infos;
    std::optional<dom::element> partial;
    const known_members known(root);
    if (!known.take("status", state) || !known.take("data", data) || !known.take("warnings", warnings) ||
        !known.take("infos", infos) || !known.take("isPartial", partial)) {
        return wrong_shape("a member is there twice");
    }
    std::string_view word;
    if (!state || state->get(word) != SUCCESS) return wrong_shape("status: expected \"success\" or \"error\"");
    if (word == "error") {
        std::string_view type;
        std::string_view message;
        if (root["errorType"].get(type) != SUCCESS) type = {};
        if (root["error"].get(message) != SUCCESS) message = {};
        return api_error(http_status, type, message);
    }
    if (word != "success") {
        return wrong_shape("status: expected \"success\" or \"error\", got " + in_quotes(word));
    }
    reading out;
    if (auto read = read_data(data, out); !read) return read.take_failure();
    if (!read_notes(warnings, out.warnings) || !read_notes(infos, out.infos)) {
        return wrong_shape("warnings and infos: expected arrays of strings");
    }
    if (!is_null(partial) && partial->get(out.partial) != SUCCESS) {
        return wrong_shape("isPartial: expected true or false");
    }
    return out;
}

error unreadable(const http::response& response, simdjson::error_code why) {
    if (why == simdjson::CAPACITY) return over_limit("the body is too large");
    if (why == simdjson::DEPTH_ERROR && outline_of(response.body).balanced) {
        return over_limit("the answer nests deeper than the JSON reader allows");
    }
    return not_json(response, simdjson::error_message(why));
}

}  // namespace

std::optional<std::int64_t> milliseconds(double seconds) {
    constexpr double bound = 9.2e18;  // within int64 after rounding
    const double ms = std::floor(seconds * 1000.0 + 0.5);
    if (!(ms > -bound && ms < bound)) return std::nullopt;
    return static_cast<std::int64_t>(ms);
}

result<reading> parse(const http::answer& answer) {
    if (auto no = refusal(answer)) return *std::move(no);
    const http::response& response = answer.response;
    scratch_use own(response.body);
    dom::element root;
    if (const auto why = own->parse(response.body, root); why != SUCCESS) {
        return unreadable(response, why);
    }
    dom::object envelope;
    if (root.get(envelope) != SUCCESS) return wrong_shape("expected an object");
    return read_envelope(envelope, response.status);
}

}  // namespace gputide::formats::query_api
