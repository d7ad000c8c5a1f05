#include "base/json_writer.hpp"

#include "base/encode.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace gputide {
namespace {

constexpr bool is_plain(char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// Tests eight bytes at once.  A bit of 0x80 remains for each byte that needs an escape: x - 0x20 borrows below 0x20, and x ^
// c is 0 only for c.  A borrow into the next byte happens only if the lower byte was not plain either.
bool are_plain(std::uint64_t x) {
    constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
    const std::uint64_t low = x - each * 0x20;
    const std::uint64_t quote = (x ^ each * '"') - each;
    const std::uint64_t backslash = (x ^ each * '\\') - each;
    return ((x | low | quote | backslash) & each * 0x80) == 0;
}

template <class Bytes>
Bytes bytes_at(const char* text) {
    Bytes out = 0;
    std::memcpy(&out, text, sizeof out);
    return out;
}

// Tests the last eight bytes of a text at once.  Of a text of four to seven bytes it tests the first and the last four.
bool ends_plain(std::string_view text) {
    const char* const end = text.data() + text.size();
    if (text.size() >= 8) return are_plain(bytes_at<std::uint64_t>(end - 8));
    if (text.size() < 4) return false;
    const std::uint64_t first = bytes_at<std::uint32_t>(text.data());
    return are_plain(first << 32U | bytes_at<std::uint32_t>(end - 4));
}

// Counts the leading bytes that need no escape in JSON: printable ASCII except quotes and backslashes.
std::size_t plain_bytes(std::string_view text) {
    std::size_t size = 0;
    while (text.size() - size >= 8 && are_plain(bytes_at<std::uint64_t>(text.data() + size))) size += 8;
    if (text.size() - size < 8 && ends_plain(text)) return text.size();
    while (size < text.size() && is_plain(text[size])) ++size;
    return size;
}

// Appends the escape of the first character, which must need one; returns the character's size in `text`.
std::size_t append_escaped(std::string& out, std::string_view text) {
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte >= 0x80) {
        const std::size_t size = utf8_sequence_size(text);
        out += size == 0 ? "\xEF\xBF\xBD" : text.substr(0, size);
        return std::max<std::size_t>(size, 1);
    }
    if (byte == '"' || byte == '\\') {
        out += '\\';
        out += text.front();
    } else if (byte == '\n') {
        out += "\\n";
    } else if (byte == '\r') {
        out += "\\r";
    } else if (byte == '\t') {
        out += "\\t";
    } else {
        append_hex(out += "\\u00", byte);
    }
    return 1;
}

// Appends a JSON string, after a comma and before a colon if requested.
void append_quoted(std::string& out, bool has_comma, std::string_view text, bool has_colon) {
    std::size_t plain = plain_bytes(text);
    if (plain == text.size()) {  // usual: the text grows once, by quotes, and all but the outer two are overwritten
        const std::size_t before = out.size();
        out.append((has_comma ? 1 : 0) + text.size() + 2 + (has_colon ? 1 : 0), '"');
        char* to = out.data() + before;
        if (has_comma) *to++ = ',';
        text.copy(to + 1, text.size());
        if (has_colon) out.back() = ':';
        return;
    }
    out += has_comma ? ",\"" : "\"";
    for (;; plain = plain_bytes(text)) {
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        text.remove_prefix(append_escaped(out, text));
    }
    out += has_colon ? "\":" : "\"";
}

}  // namespace

void json_writer::separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
}

json_writer& json_writer::begin_object() {
    separate();
    out_ += '{';
    needs_comma_ = false;
    return *this;
}

json_writer& json_writer::end_object() {
    out_ += '}';
    needs_comma_ = true;
    return *this;
}

json_writer& json_writer::begin_array() {
    separate();
    out_ += '[';
    needs_comma_ = false;
    return *this;
}

json_writer& json_writer::end_array() {
    out_ += ']';
    needs_comma_ = true;
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    append_quoted(out_, needs_comma_, name, true);
    needs_comma_ = false;
    return *this;
}

json_writer& json_writer::string(std::string_view text) {
    append_quoted(out_, needs_comma_, text, false);
    needs_comma_ = true;
    return *this;
}

json_writer& json_writer::number(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    append_shortest(out_, value);
    return *this;
}

json_writer& json_writer::integer(std::int64_t value) {
    separate();
    std::array<char, 20> buffer;
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    out_.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    return *this;
}

json_writer& json_writer::boolean(bool value) { return raw(value ? "true" : "false"); }

json_writer& json_writer::null() { return raw("null"); }

json_writer& json_writer::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

}  // namespace gputide
