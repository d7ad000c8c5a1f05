// Whole answers of a metric source at the door: status, headers and body in, every series or the error out.
#pragma once

#include "frame/check.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace conformance {

struct http_answer {
    std::int32_t status = 200;
    json headers = json::object();
    std::string body;
};

// {"ok":true,…what gputide_samples_describe gives}, or {"ok":false,"error":{…},"detail":{…}} of the failed call.
json parse_all(door& library, const json& open_source, const http_answer& answer);

// The same for an answer that a server on a loopback port gives to a fetch of the trigger at that address.
json fetch_all(door& library, const json& open_source);

// A number of an error's detail; nothing where it has none.
std::optional<std::int64_t> detail_number(const json& detail, const char* member);

// "42.5" → 42.5; NaN and the infinities stay words.
json number_or_word(const std::string& text);

// A point or an exemplar of a described answer: its value as number_or_word gives it.
json value_of(const json& point);

}  // namespace conformance
