// The fast parser: simdjson on-demand, one pass, copies only the numbers.
//
// Measured with simdjson 3.0.1: only its structure scan uses SIMD, and the library selects that kernel for the processor at
// run time, for on-demand as for the DOM. Compiling the forward pass in this file for AVX2 or AVX-512 gained nothing (10,000
// series: 0.65, 0.65, 0.63 ms; the DOM 1.30 ms), so it is built once.
#include "base/json_memory.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"

namespace gputide::formats::query_api {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;

constexpr std::size_t usual_series = 8;  // up to this number of series one allocation is enough

// Each function below returns false if the text is invalid or has not the usual form; the full parser is used then.

// Compares without unescaping: the API does not escape its keywords.
bool is_word(ondemand::value value, std::string_view word) {
    ondemand::raw_json_string written;
    return value.get_raw_json_string().get(written) == SUCCESS && written == word;
}

// Reads a text without escapes. simdjson 3.0 does not detect that its buffer for unescaping could not be allocated.
std::optional<std::string_view> plain_text(ondemand::value value) {
    ondemand::json_type type;
    if (value.type().get(type) != SUCCESS || type != ondemand::json_type::string) return std::nullopt;
    const std::string_view token = value.raw_json_token();  // in its quotes, followed by white space
    const std::string_view text = token.substr(1, token.find('"', 1) - 1);
    // Consumes the value: reading its token does not consume it, and simdjson would then skip it with a following colon as a
    // key.
    ondemand::raw_json_string taken;
    if (value.get_raw_json_string().get(taken) != SUCCESS) return std::nullopt;
    if (text.find('\\') != std::string_view::npos) return std::nullopt;
    return text;
}

// Tells whether simdjson parses a number of this many bytes exactly.  After a leading zero, 3.0.1 counts the zeros after the
// point as digits, which then overflow: 0.7976930674311572433308 becomes 0.0008.  A zero, a point and nineteen digits are
// safe.
bool is_read_exactly(ondemand::value number, std::size_t quotes) {
    constexpr std::size_t exact_bytes = 21;
    return number.raw_json_token().size() <= exact_bytes + quotes;
}

// Reads a value.  Its text is nearly always a JSON number in quotes; parse_go_float parses NaN, Inf and Go's other
// spellings.  Checks the type first: for .3"x" get_double_in_string returns 3, because simdjson 3.0.1 takes the first byte
// for the quote.
bool read_value(ondemand::value from, double& into) {
    ondemand::json_type type;
    if (from.type().get(type) != SUCCESS || type != ondemand::json_type::string) return false;
    if (is_read_exactly(from, 2) && from.get_double_in_string().get(into) == SUCCESS) return true;
    const auto text = plain_text(from);
    const auto value = text ? parse_go_float(*text, true) : std::nullopt;
    if (value) into = *value;
    return value.has_value();
}

bool read_time(ondemand::value value, std::int64_t& into) {
    double seconds = 0.0;
    if (!is_read_exactly(value, 0) || value.get_double().get(seconds) != SUCCESS) return false;
    const auto ms = milliseconds(seconds);
    if (ms) into = *ms;
    return ms.has_value();
}

bool read_sample(ondemand::value from, point& point) {
    ondemand::array pair;
    if (from.get_array().get(pair) != SUCCESS) return false;
    int count = 0;
    for (auto entry : pair) {
        ondemand::value value;
        if (entry.get(value) != SUCCESS) return false;
        ++count;
        if (count == 1 && !read_time(value, point.time_ms)) return false;
        if (count == 2 && !read_value(value, point.value)) return false;
        if (count > 2) return false;
    }
    return count == 2;
}

// Checks that names and values of labels are strings; copies nothing.
bool check_labels(ondemand::value value) {
    ondemand::object labels;
    if (value.get_object().get(labels) != SUCCESS) return false;
    for (auto label : labels) {
        ondemand::raw_json_string ignored;
        if (label.value().get_raw_json_string().get(ignored) != SUCCESS) return false;
    }
    return true;
}

// Parses {"metric":{...},"value":[time,"v"]} in either order, with no other or repeated member.
bool read_series(ondemand::object object, point& point) {
    bool has_metric = false;
    bool has_value = false;
    for (auto member : object) {
        ondemand::raw_json_string key;
        ondemand::value value;
        if (member.key().get(key) != SUCCESS || member.value().get(value) != SUCCESS) return false;
        if (key == "metric" && !has_metric) {
            has_metric = true;
            if (!check_labels(value)) return false;
        } else if (key == "value" && !has_value) {
            has_value = true;
            if (!read_sample(value, point)) return false;
        } else {
            return false;
        }
    }
    return has_value;
}

bool read_vector(ondemand::value value, numbers& numbers) {
    ondemand::array list;
    if (value.get_array().get(list) != SUCCESS) return false;
    numbers.newest.reserve(usual_series);
    for (auto entry : list) {
        ondemand::object object;
        point newest;
        if (numbers.newest.size() == limits::series || entry.get_object().get(object) != SUCCESS ||
            !read_series(object, newest)) {
            return false;
        }
        numbers.newest.push_back(newest);
    }
    numbers.series = numbers.newest.size();
    return true;
}

bool read_data(ondemand::value from, numbers& numbers) {
    ondemand::object data;
    if (from.get_object().get(data) != SUCCESS) return false;
    bool has_result = false;
    for (auto member : data) {
        ondemand::raw_json_string key;
        ondemand::value value;
        if (member.key().get(key) != SUCCESS || member.value().get(value) != SUCCESS) return false;
        if (key == "resultType" && numbers.result_type.empty()) {
            if (!is_word(value, "vector")) return false;
            numbers.result_type = "vector";
        } else if (key == "result" && !has_result) {
            has_result = true;
            if (!read_vector(value, numbers)) return false;
        } else {
            return false;
        }
    }
    return has_result && !numbers.result_type.empty();
}

bool read_notes(ondemand::value value, std::vector<std::string>& into) {
    ondemand::array list;
    if (!into.empty() || value.get_array().get(list) != SUCCESS) return false;
    for (auto entry : list) {
        ondemand::value note;
        if (entry.get(note) != SUCCESS) return false;
        const auto text = plain_text(note);
        if (!text) return false;
        into.emplace_back(*text);
    }
    return true;
}

bool read_envelope(ondemand::document& document, numbers& numbers) {
    ondemand::object root;
    if (document.get_object().get(root) != SUCCESS) return false;
    bool success = false;
    bool has_data = false;
    for (auto member : root) {
        ondemand::raw_json_string key;
        ondemand::value value;
        if (member.key().get(key) != SUCCESS || member.value().get(value) != SUCCESS) return false;
        bool good = false;
        if (key == "status" && !success) {
            good = success = is_word(value, "success");
        } else if (key == "data" && !has_data) {
            has_data = true;
            good = read_data(value, numbers);
        } else if (key == "warnings") {
            good = read_notes(value, numbers.warnings);
        } else if (key == "infos") {
            good = read_notes(value, numbers.infos);
        }
        if (!good) return false;
    }
    // Requires the end of the text: on-demand does not check it.
    return success && has_data && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool read_common_form(const std::string& body, numbers& numbers) {
    scratch_use own(body);
    ondemand::document document;
    return or_bad_alloc(own->forward.iterate(own->padded(body)).get(document)) == SUCCESS &&
           read_envelope(document, numbers);
}

result<numbers> read_in_full(const http::answer& answer) {
    auto whole = parse(answer);
    if (!whole) return whole.take_failure();
    return numbers_of(*whole);
}

}  // namespace

// Writes to the caller's object: for one series, moving the result would cost as much as parsing it.
result<numbers> parse_numbers(const http::answer& answer) {
    result<numbers> out = numbers();
    if (auto no = refusal(answer)) {
        out = *std::move(no);
    } else if (!read_common_form(answer.response.body, *out)) {
        out = read_in_full(answer);
    }
    return out;
}

}  // namespace gputide::formats::query_api
