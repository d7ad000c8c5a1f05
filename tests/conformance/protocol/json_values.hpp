// Values as protocol 1 writes them, so that no language's JSON loses any: integers beyond ±2^53 as decimal strings, "NaN",
// "+Inf" and "-Inf", bytes that are not UTF-8 as {"b64": …}.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace conformance {

using json = nlohmann::json;

json json_integer(std::int64_t value);
json json_integer(std::uint64_t value);
json json_real(double value);
json json_text(const std::string& bytes);

// These throw std::invalid_argument for a value of another kind.
std::int64_t integer_in(const json& value);
std::uint64_t unsigned_in(const json& value);
double real_in(const json& value);
std::string text_in(const json& value);

std::string base64_of(std::string_view bytes);
std::string bytes_of_base64(std::string_view text);  // throws std::invalid_argument

}  // namespace conformance
