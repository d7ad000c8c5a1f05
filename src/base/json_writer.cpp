#include "base/json_writer.hpp"

#include "base/text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace gputide {
namespace {

// How many bytes from the front on stand in JSON as they are: printable ASCII but for quotes and backslashes.
std::size_t plain_bytes(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size()) {
        const auto byte = static_cast<unsigned char>(text[size]);
        if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') break;
        ++size;
    }
    return size;
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
    string(name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
}

json_writer& json_writer::string(std::string_view text) {
    separate();
    out_ += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t plain = plain_bytes(text.substr(at));
        out_.append(text, at, plain);
        at += plain;
        if (at == text.size()) break;
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '"' || byte == '\\') {
            out_ += '\\';
            out_ += text[at++];
        } else if (byte < 0x20) {
            constexpr std::string_view hex = "0123456789abcdef";
            switch (byte) {
                case '\n':
                    out_ += "\\n";
                    break;
                case '\r':
                    out_ += "\\r";
                    break;
                case '\t':
                    out_ += "\\t";
                    break;
                default:
                    out_ += "\\u00";
                    out_ += hex[byte >> 4];
                    out_ += hex[byte & 15];
            }
            ++at;
        } else {
            const std::size_t size = utf8_sequence_size(text.substr(at));
            if (size == 0) {
                out_ += "\xEF\xBF\xBD";
                ++at;
            } else {
                out_.append(text, at, size);
                at += size;
            }
        }
    }
    out_ += '"';
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
