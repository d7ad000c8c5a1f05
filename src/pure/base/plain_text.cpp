#include "base/plain_text.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <string_view>

namespace gputide {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20U || byte == 0x7FU; }

// Most texts are ASCII without control characters and are returned unchanged.
bool is_plain(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return is_control(byte) || byte >= 0x80U;
    });
}

enum class look { letter, blank, nothing };

look look_of(std::string_view sequence) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(sequence[at]); };
    if (sequence.size() == 1) return is_control(byte(0)) ? look::blank : look::letter;
    if (sequence.size() == 2) {
        const unsigned point = (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
        if (point < 0xA0U) return look::blank;
        return point == 0x61CU ? look::nothing : look::letter;
    }
    if (sequence.size() != 3) return look::letter;
    const unsigned point = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    if (point == 0x2028U || point == 0x2029U) return look::blank;
    const bool unseen = (point >= 0x200BU && point <= 0x200FU) || (point >= 0x202AU && point <= 0x202EU) ||
                        (point >= 0x2060U && point <= 0x2069U) || point == 0xFEFFU;
    return unseen ? look::nothing : look::letter;
}

std::string plain(std::string_view rest) {
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t size = utf8_sequence_size(rest);
        const std::string_view sequence = rest.substr(0, std::max<std::size_t>(size, 1));
        rest.remove_prefix(sequence.size());
        const look seen = look_of(sequence);
        if (size == 0) {
            out += '?';
        } else if (seen == look::letter) {
            out += sequence;
        } else if (seen == look::blank) {
            out += ' ';
        }
    }
    return out;
}

}  // namespace

std::string plain_line(std::string text) {
    if (!is_plain(text)) text = plain(text);
    return text;
}

}  // namespace gputide
