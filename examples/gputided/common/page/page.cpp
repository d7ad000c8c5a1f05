#include "common/page/page.hpp"

namespace gputided {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        switch (letter) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += letter;
        }
    }
    return out;
}

// Nothing may look like the script's end; in JSON a '<' stands in strings alone.
std::string for_script(const nlohmann::json& value) {
    std::string out;
    for (const char letter : value.dump()) {
        if (letter == '<') {
            out += "\\u003c";
        } else {
            out += letter;
        }
    }
    return out;
}

// The page is walked once.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values) {
    std::string out;
    for (std::size_t at = 0; at < page.size();) {
        const std::size_t mark = page.find('@', at);
        const std::size_t end = mark == std::string_view::npos ? mark : page.find('@', mark + 1);
        const auto value = end == std::string_view::npos
                               ? values.end()
                               : values.find(std::string(page.substr(mark + 1, end - mark - 1)));
        if (value == values.end()) {
            const std::size_t next = mark == std::string_view::npos ? page.size() : mark + 1;
            out += page.substr(at, next - at);
            at = next;
            continue;
        }
        out += page.substr(at, mark - at);
        out += value->second;
        at = end + 1;
    }
    return out;
}

}  // namespace gputided
