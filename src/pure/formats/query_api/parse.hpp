// Parses a Prometheus HTTP API response into a reading, or the reason why there is none.  Pure; checks every byte.
// Grammar: prometheus/prometheus docs/querying/api.md, web/api/v1/json_codec.go.
//
// Two parsers.  parse() checks every byte of the document and reads everything.  parse_numbers() reads what a trigger
// needs, twice as fast: it reads forward through the usual form of instant query responses, and passes anything else
// (another result type, an unknown member, any error) to parse().  It never returns a number that parse() would not
// return; it only ignores escapes inside label texts.
#pragma once

#include "base/result.hpp"
#include "formats/reading.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gputide::formats::query_api {

result<reading> parse(const http::answer& answer);
result<numbers> parse_numbers(const http::answer& answer);

// Converts Unix seconds to milliseconds, rounded half up: 1795224311.1239 → 1795224311124.  Nothing outside int64.
std::optional<std::int64_t> milliseconds(double seconds);

}  // namespace gputide::formats::query_api
