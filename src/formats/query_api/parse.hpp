// Bytes of a Prometheus HTTP API answer → a reading, or the reason why there is none.  Pure; strict to the last byte.
// Grammar: prometheus/prometheus docs/querying/api.md, web/api/v1/json_codec.go.
//
// Two readers.  parse() checks every byte of the document and takes everything.  parse_numbers() takes what a trigger
// needs, twice as fast: it reads forward through the one form that instant queries answer with, and hands anything else
// (another result type, a member it does not know, any error) to parse().  It never gives a number that parse() would
// not give; the only thing that it does not look at are escapes inside label texts.
#pragma once

#include "base/result.hpp"
#include "formats/reading.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gputide::formats::query_api {

result<reading> parse(const http::answer& answer);
result<numbers> parse_numbers(const http::answer& answer);

// Unix seconds as written → milliseconds, rounded half up: 1795224311.1239 → 1795224311124.  Nothing outside int64.
std::optional<std::int64_t> milliseconds(double seconds);

}  // namespace gputide::formats::query_api
