// Parses a Prometheus HTTP API response into a reading or an error.  Pure; checks every byte.
// Grammar: prometheus/prometheus docs/querying/api.md, web/api/v1/json_codec.go.
//
// Two parsers. parse() checks every byte of the document and returns all data. parse_numbers() returns the part that a
// trigger needs, twice as fast: it reads the usual form of instant query responses in one pass and leaves anything else
// (another result type, an unknown member, any error) to parse().  It returns no number that parse() would not return; the
// only difference is that it ignores escapes inside label texts.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "formats/json/scratch.hpp"
#include "formats/reduce.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gputide::formats::query_api {

// Checks the envelope of a response in this order: HTTP status, JSON, the API's own `status`. (prometheus/prometheus
// docs/querying/api.md; an `error` status with HTTP 200 is an error.)  Pure.

// Returns why the body cannot be parsed: no response, a redirect, a status outside 200..299, an unsupported encoding, a body
// over the limit.  Nothing: parse the body. error_class is encoding, redirect, api, http, limit or the transport's class.
std::optional<error> refusal(const http::answer& answer);

// Returns the error for {"status":"error","errorType":type,"error":message} with that HTTP status.
error api_error(std::int32_t http_status, std::string_view type, std::string_view message);

error not_json(const http::response& response, std::string_view why);
error_ptr wrong_shape(std::string_view what);  // "data.resultType: expected a string"
error_ptr over_limit(std::string_view what);

// Parses parts of a Prometheus API response with simdjson's DOM: series, points and labels.  Pure.
// Grammar: prometheus/prometheus web/api/v1/json_codec.go.

// Reads the known members of an object, each at most once.  A repeated member is an error, because either value could be
// meant.
class known_members {
  public:
    explicit known_members(simdjson::dom::object object) : from_(object) {}

    // Returns false if `name` is repeated.
    bool take(std::string_view name, std::optional<simdjson::dom::element>& element) const {
        for (const auto& [key, value] : from_) {
            if (key != name) continue;
            if (element) return false;
            element = value;
        }
        return true;
    }

  private:
    simdjson::dom::object from_;
};

// Returns false if `element` is not an array, or if read_one returns false for an entry.
template <class One>
bool read_each(simdjson::dom::element element, One read_one) {
    simdjson::dom::array list;
    if (element.get(list) != simdjson::SUCCESS) return false;
    for (const simdjson::dom::element entry : list) {
        if (!read_one(entry)) return false;
    }
    return true;
}

// Parses [time, content]: exactly two entries.
struct timed_content {
    std::int64_t time_ms;
    simdjson::dom::element content;
};
std::optional<timed_content> timed_pair(simdjson::dom::element element);

// Parses [time, "value"]; false if it is malformed.
bool read_point(simdjson::dom::element element, std::vector<point>& points);

// Parses an entry of a vector ("value" or "histogram") or of a matrix ("values", "histograms" or both).
result<series> series_of(simdjson::dom::element element, bool is_matrix);

result<reading> parse(const http::answer& answer);
result<numbers> parse_numbers(const http::answer& answer);

// Converts Unix seconds to milliseconds, rounded half up: 1795224311.1239 → 1795224311124.  Nothing outside int64.
std::optional<std::int64_t> milliseconds(double seconds);

}  // namespace gputide::formats::query_api
