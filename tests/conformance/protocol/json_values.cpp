#include "protocol/json_values.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace conformance {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
    json text = bytes;
    const json kept =
        json::parse(text.dump(-1, ' ', false, json::error_handler_t::ignore));  // without what is not UTF-8
    if (kept.get_ref<const std::string&>().size() == bytes.size()) return text;
    return {{"b64", base64_of(bytes)}};
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
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = (group << 8U) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i)
            out += at + i > bytes.size() ? '=' : alphabet[(group >> (18 - 6 * i)) & 63U];
    }
    return out;
}

std::string bytes_of_base64(std::string_view text) {
    const auto invalid = [&] { return std::invalid_argument("not base64: " + std::string(text.substr(0, 40))); };
    if (text.size() % 4 != 0) throw invalid();
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::string out;
    std::uint32_t group = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_padding = at >= text.size() - padding;
        const std::size_t digit = is_padding ? 0 : alphabet.find(text[at]);
        if (digit == std::string_view::npos) throw invalid();
        group = (group << 6U) | static_cast<std::uint32_t>(digit);
        if (at % 4 != 3) continue;
        for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>(group >> shift);
    }
    out.resize(out.size() - padding);
    return out;
}

}  // namespace conformance
