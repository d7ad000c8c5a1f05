#include "common/text.hpp"

#include <nlohmann/json.hpp>

namespace gputided {
namespace {

// UTF-8 sequences by all but their last byte, and the range of that; "" replaces what has a width.
struct marks {
    const char* lead;
    unsigned char first, last;
    const char* shown;
};
constexpr marks unwanted[] = {
    {"\xC2", 0x80, 0x9F, " "},    {"\xE2\x80", 0xA8, 0xA9, " "}, {"\xE2\x80", 0x8B, 0x8F, ""},
    {"\xE2\x80", 0xAA, 0xAE, ""}, {"\xE2\x81", 0xA0, 0xA9, ""},  {"\xD8", 0x9C, 0x9C, ""},
    {"\xEF\xBB", 0xBF, 0xBF, ""},
};

const marks* mark_at(const std::string& text, std::size_t at) {
    for (const marks& one : unwanted) {
        const std::size_t size = std::char_traits<char>::length(one.lead);
        if (text.compare(at, size, one.lead) != 0 || at + size >= text.size()) continue;
        const auto last = static_cast<unsigned char>(text[at + size]);
        if (last >= one.first && last <= one.last) return &one;
    }
    return nullptr;
}

}  // namespace

std::string one_line(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (const marks* found = mark_at(text, at); found != nullptr) {
            out += found->shown;
            at += std::char_traits<char>::length(found->lead);
        } else {
            out += byte < ' ' || byte == 0x7F ? ' ' : text[at];
        }
    }
    return out;
}

// The JSON writer refuses what is not; it is asked rather than copied.
bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(nlohmann::json(text).dump());
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

}  // namespace gputided
