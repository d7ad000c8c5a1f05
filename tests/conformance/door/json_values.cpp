#include "door/json_values.hpp"

#include <openssl/evp.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace conformance {
namespace {

constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;

template <class Integer>
Integer parse_integer(const json& value) {
    if (value.is_number_integer()) return value.get<Integer>();
    Integer out{};
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, out);
    if (text.empty() || problem != std::errc() || stop != end) {
        throw std::invalid_argument("expected an integer, got " + value.dump());
    }
    return out;
}

}  // namespace

json json_integer(std::int64_t value) {
    const bool exact = value >= -exact_in_double && value <= exact_in_double;
    return exact ? json(value) : json(std::to_string(value));
}

json json_integer(std::uint64_t value) {
    const bool exact = value <= static_cast<std::uint64_t>(exact_in_double);
    return exact ? json(value) : json(std::to_string(value));
}

json json_real(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return value;
}

json json_text(const std::string& bytes) {
    try {
        json text = bytes;
        (void)text.dump();  // throws for what is not UTF-8
        return text;
    } catch (const json::exception&) {
        return {{"b64", base64_of(bytes)}};
    }
}

std::int64_t integer_in(const json& value) { return parse_integer<std::int64_t>(value); }

std::uint64_t unsigned_in(const json& value) { return parse_integer<std::uint64_t>(value); }

double real_in(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (value == "+Inf") return std::numeric_limits<double>::infinity();
    if (value == "-Inf") return -std::numeric_limits<double>::infinity();
    throw std::invalid_argument("expected a number, got " + value.dump());
}

std::string text_in(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains("b64")) return bytes_of_base64(value.at("b64").get<std::string>());
    throw std::invalid_argument("expected a text, got " + value.dump());
}

std::string base64_of(std::string_view bytes) {
    std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock ends its text with a NUL
    const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());  // NOLINT: bytes
    auto* const text = reinterpret_cast<unsigned char*>(out.data());                 // NOLINT: bytes
    out.resize(static_cast<std::size_t>(EVP_EncodeBlock(text, first, static_cast<int>(bytes.size()))));
    return out;
}

std::string bytes_of_base64(std::string_view text) {
    std::string out(3 * ((text.size() + 3) / 4), '\0');
    const auto* const first = reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: bytes
    auto* const bytes = reinterpret_cast<unsigned char*>(out.data());               // NOLINT: bytes
    const int size = EVP_DecodeBlock(bytes, first, static_cast<int>(text.size()));
    if (size < 0) throw std::invalid_argument("not base64: " + std::string(text.substr(0, 40)));
    std::size_t padding = 0;  // EVP_DecodeBlock counts the bytes that "=" stands for
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    out.resize(static_cast<std::size_t>(size) - padding);
    return out;
}

}  // namespace conformance
