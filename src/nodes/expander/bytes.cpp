#include "nodes/expander/bytes.hpp"

#include <string_view>

namespace gputide::nodes {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

void add_range(pattern::byte_set& set, unsigned char from, unsigned char to) {
    for (unsigned c = from; c <= to; ++c) set.set(c);
}

std::optional<pattern::byte_set> class_of(char letter) {
    pattern::byte_set out;
    switch (letter | 0x20) {
        case 'd':
            add_range(out, '0', '9');
            break;
        case 'w':
            for (unsigned c = 0; c < 128; ++c) out.set(c, is_word(static_cast<char>(c)));
            break;
        case 's':
            for (const char c : std::string_view("\t\n\f\r ")) out.set(static_cast<unsigned char>(c));
            break;
        default:
            return std::nullopt;
    }
    return (letter & 0x20) != 0 ? out : ~out;
}

std::optional<char> control_of(char letter) {
    switch (letter) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'f':
            return '\f';
        case 'v':
            return '\v';
        case 'a':
            return '\a';
        default:
            return std::nullopt;
    }
}

}  // namespace gputide::nodes
