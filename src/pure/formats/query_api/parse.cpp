// The full parser: simdjson's DOM checks the document; then each member is read with its type.
#include "formats/query_api/parse.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"

#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

namespace gputide::formats::query_api {

namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

bool is_null(const std::optional<dom::element>& value) { return !value || value->is_null(); }

// Reads the known members of an object, each at most once.  A repeated member is an error, because either value could be
// meant.
class known_members {
  public:
    explicit known_members(dom::object object) : from_(object) {}

    // Returns false if `name` is repeated.
    bool take(std::string_view name, std::optional<dom::element>& element) const {
        for (const auto& [key, value] : from_) {
            if (key != name) continue;
            if (element) return false;
            element = value;
        }
        return true;
    }

  private:
    dom::object from_;
};

// Returns false if `element` is not an array, or if read_one returns false for an entry.
template <class One>
bool read_each(dom::element element, One read_one) {
    dom::array list;
    if (element.get(list) != SUCCESS) return false;
    for (const dom::element entry : list) {
        if (!read_one(entry)) return false;
    }
    return true;
}

// Content of [time, content].
struct timed_content {
    std::int64_t time_ms;
    dom::element content;
};

// Parses "42.5", "NaN", "+Inf" as Go does; also accepts a JSON number, which some compatible servers send.
std::optional<double> sample_value(dom::element element) {
    std::string_view text;
    if (element.get(text) == SUCCESS) return parse_go_float(text, true);
    double number = 0.0;
    if (element.is_number() && element.get(number) == SUCCESS) return number;
    return std::nullopt;
}

std::optional<std::int64_t> sample_time(dom::element element) {
    double seconds = 0.0;
    if (!element.is_number() || element.get(seconds) != SUCCESS) return std::nullopt;
    return milliseconds(seconds);
}

// Requires exactly two entries.
std::optional<timed_content> timed_pair(dom::element element) {
    dom::array pair;
    if (element.get(pair) != SUCCESS || pair.size() != 2) return std::nullopt;
    const auto time = sample_time(pair.at(0).value_unsafe());
    if (!time) return std::nullopt;
    return timed_content{*time, pair.at(1).value_unsafe()};
}

bool read_point(dom::element element, std::vector<point>& points) {
    const auto pair = timed_pair(element);
    if (!pair) return false;
    const auto value = sample_value(pair->content);
    if (!value) return false;
    points.push_back({pair->time_ms, *value});
    return true;
}

bool read_histogram(dom::element element, std::vector<histogram>& histograms) {
    const auto pair = timed_pair(element);
    dom::object content;
    if (!pair || pair->content.get(content) != SUCCESS) return false;
    dom::element count;
    dom::element sum;
    if (content["count"].get(count) != SUCCESS || content["sum"].get(sum) != SUCCESS) return false;
    const auto counted = sample_value(count);
    const auto summed = sample_value(sum);
    if (!counted || !summed) return false;
    histogram out{pair->time_ms, *counted, *summed, 0};
    dom::element buckets;
    const bool has_buckets = content["buckets"].get(buckets) == SUCCESS && !buckets.is_null();
    const auto count_bucket = [&out](dom::element bucket) {
        ++out.buckets;
        return bucket.is_array();
    };
    if (has_buckets && !read_each(buckets, count_bucket)) return false;
    histograms.push_back(out);
    return true;
}

// Requires all values to be strings.  The first value of a repeated label is used.  Servers sort labels; only an unsorted
// object is searched for repetitions.
result<labels> read_labels(dom::element element) {
    dom::object content;
    if (element.get(content) != SUCCESS) return wrong_shape("a series' metric is not an object");
    labels out;
    out.reserve(content.size());
    bool sorted = true;
    for (const auto& [key, value] : content) {
        std::string_view text;
        if (value.get(text) != SUCCESS) return wrong_shape(format_text("label {} is not a string", in_quotes(key)));
        if (key.size() > limits::label_value_bytes || text.size() > limits::label_value_bytes) {
            return over_limit(format_text("a label has more than {} bytes", limits::label_value_bytes));
        }
        if (!out.empty() && out.back().first >= key) sorted = false;
        out.emplace_back(key, text);
    }
    if (sorted) return out;
    std::unordered_set<std::string> seen;
    std::erase_if(out, [&seen](const auto& label) { return !seen.insert(label.first).second; });
    return out;
}

// Parses an entry of a vector ("value" or "histogram") or of a matrix ("values", "histograms" or both).
result<series> series_of(dom::element element, bool is_matrix) {
    dom::object content;
    if (element.get(content) != SUCCESS) return wrong_shape("a series is not an object");
    std::optional<dom::element> metric;
    std::optional<dom::element> floats;
    std::optional<dom::element> histograms;
    const known_members known(content);
    if (!known.take("metric", metric) || !known.take(is_matrix ? "values" : "value", floats) ||
        !known.take(is_matrix ? "histograms" : "histogram", histograms)) {
        return wrong_shape("a series has a member twice");
    }
    series out;
    if (metric) {
        auto named = read_labels(*metric);
        if (!named) return named.take_failure();
        out.labels = *std::move(named);
    }
    if (!floats && !histograms) return wrong_shape("a series has neither values nor a histogram");
    const auto add_point = [&out](dom::element entry) { return read_point(entry, out.points); };
    const auto add_histogram = [&out](dom::element entry) { return read_histogram(entry, out.histograms); };
    if (floats && !(is_matrix ? read_each(*floats, add_point) : add_point(*floats))) {
        return wrong_shape("a sample is not [time, \"value\"] with a number of seconds and a float text");
    }
    if (histograms && !(is_matrix ? read_each(*histograms, add_histogram) : add_histogram(*histograms))) {
        return wrong_shape("a native histogram is not [time, {count, sum, buckets}]");
    }
    return out;
}

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
