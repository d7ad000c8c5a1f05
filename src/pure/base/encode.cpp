#include "base/encode.hpp"

#include <array>
#include <cstdint>

namespace gputide {
namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

constexpr unsigned char none = 0xFF;

// Maps each byte to its index in the alphabet, or to none.
constexpr std::array<unsigned char, 256> places(std::string_view alphabet) {
    std::array<unsigned char, 256> out{};
    for (unsigned char& place : out) place = none;
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        out[static_cast<unsigned char>(alphabet[i])] = static_cast<unsigned char>(i);
    }
    return out;
}

constexpr auto standard_places = places(standard_alphabet);
constexpr auto url_places = places(url_alphabet);
constexpr auto unreserved_places = places(unreserved);

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    unsigned held = 0;  // bits not written yet
    for (const char byte : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(byte);
        for (held += 8; held >= 6;) {
            held -= 6;
            out += alphabet[(bits >> held) & 63U];
        }
    }
    if (held > 0) out += alphabet[(bits << (6 - held)) & 63U];
    while (padded && out.size() % 4 != 0) out += '=';
    return out;
}

// Decodes digits without padding.  A last group of one digit is invalid; leftover bits are ignored, as in Go and OpenSSL.
std::optional<std::string> decode(std::string_view digits, const std::array<unsigned char, 256>& place_of) {
    if (digits.size() % 4 == 1) return std::nullopt;
    std::string out;
    out.reserve(digits.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char digit : digits) {
        const unsigned char place = place_of[static_cast<unsigned char>(digit)];
        if (place == none) return std::nullopt;
        bits = (bits << 6) | place;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>((bits >> held) & 0xFFU);
        }
    }
    return out;
}

// Escapes in place: one or three characters per byte.
void append_escaped(std::string& to, std::string_view text, bool blank_as_plus) {
    constexpr std::string_view upper = "0123456789ABCDEF";
    const std::size_t begin = to.size();
    to.resize(begin + text.size() * 3);
    char* end = to.data() + begin;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (unreserved_places[byte] != none) {
            *end++ = c;
        } else if (c == ' ' && blank_as_plus) {
            *end++ = '+';
        } else {
            *end++ = '%';
            *end++ = upper[byte >> 4];
            *end++ = upper[byte & 15U];
        }
    }
    to.resize(static_cast<std::size_t>(end - to.data()));
}

}  // namespace

std::string base64(std::string_view bytes) { return encode(bytes, standard_alphabet, true); }

std::string base64url(std::string_view bytes) { return encode(bytes, url_alphabet, false); }

std::optional<std::string> decode_base64(std::string_view text) {
    std::string digits;
    digits.reserve(text.size());
    for (const char c : text) {
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') digits += c;
    }
    if (digits.size() % 4 != 0) return std::nullopt;
    for (int padding = 0; padding < 2 && !digits.empty() && digits.back() == '='; ++padding) digits.pop_back();
    return decode(digits, standard_places);
}

std::optional<std::string> decode_base64url(std::string_view text) { return decode(text, url_places); }

std::string percent_encode(std::string_view text) {
    std::string out;
    append_escaped(out, text, false);
    return out;
}

std::string form_encode(std::string_view text) {
    std::string out;
    append_form_encoded(out, text);
    return out;
}

void append_form_encoded(std::string& to, std::string_view text) { append_escaped(to, text, true); }

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%') {
            const std::optional<unsigned char> byte = hex_byte(text.substr(at + 1));
            if (!byte) return std::nullopt;
            out += static_cast<char>(*byte);
            at += 2;
        } else {
            out += plus_is_blank && text[at] == '+' ? ' ' : text[at];
        }
    }
    return out;
}

std::optional<unsigned char> hex_byte(std::string_view text) {
    if (text.size() < 2) return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(0, 2)) {
        const bool decimal = c >= '0' && c <= '9';
        const char letter = static_cast<char>(c | 0x20);
        if (!decimal && (letter < 'a' || letter > 'f')) return std::nullopt;
        value = value * 16 + static_cast<unsigned>(decimal ? c - '0' : letter - 'a' + 10);
    }
    return static_cast<unsigned char>(value);
}

void append_hex(std::string& out, unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += digits[byte >> 4];
    out += digits[byte & 15U];
}

}  // namespace gputide
