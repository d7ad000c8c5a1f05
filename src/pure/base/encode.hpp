// Encodings used in requests: base64 in its two alphabets, percent and form escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gputide {

std::string base64(std::string_view bytes);                          // standard alphabet, padded
std::string base64url(std::string_view bytes);                       // URL alphabet, no padding (RFC 7515)
std::optional<std::string> decode_base64(std::string_view text);     // standard; padding required; white space skipped
std::optional<std::string> decode_base64url(std::string_view text);  // no padding; nothing else accepted

std::string percent_encode(std::string_view text);  // all but A-Za-z0-9-._~
std::string form_encode(std::string_view text);     // the same, blank as '+' (Go's url.QueryEscape)
void append_form_encoded(std::string& to, std::string_view text);
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank);

std::optional<unsigned char> hex_byte(std::string_view text);  // of the first two characters, either letter case
void append_hex(std::string& out, unsigned char byte);         // two lower-case digits

}  // namespace gputide
