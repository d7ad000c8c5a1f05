#include "common/page.hpp"

#include "report_css.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

namespace gputided {

namespace {

std::string with_replaced(std::string_view text, const std::map<char, const char*>& replacements) {
    std::string out;
    for (const char letter : text) {
        const auto found = replacements.find(letter);
        found == replacements.end() ? out += letter : out += found->second;
    }
    return out;
}

}  // namespace

std::string escaped(const std::string& text) {
    return with_replaced(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

// Escapes '<', so that no text can end the script.  In JSON '<' occurs only inside strings.
std::string for_script(const json& value) { return with_replaced(value.dump(), {{'<', "\\u003c"}}); }

std::string new_nonce() {
    static constexpr std::array<char, 17> digits{"0123456789abcdef"};
    std::random_device random;
    std::string out;
    for (int word = 0; word < 4; ++word) {
        for (std::uint32_t bits = random(), i = 0; i < 8; ++i, bits >>= 4U) out += digits.at(bits & 15U);
    }
    return out;
}

std::string content_policy(const std::string& nonce) {
    return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
           "'; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string filled(std::string_view page, const std::map<std::string, std::string>& values) {
    std::string out;
    for (std::size_t mark = page.find('@'); mark != std::string_view::npos; mark = page.find('@')) {
        const std::size_t end = std::min(page.find('@', mark + 1), page.size());
        const auto value = values.find(std::string(page.substr(mark + 1, end - mark - 1)));
        const bool is_place = end < page.size() && value != values.end();
        out += page.substr(0, is_place ? mark : mark + 1);
        if (is_place) out += value->second;
        page.remove_prefix(is_place ? end + 1 : mark + 1);
    }
    return out.append(page);
}

std::string report_file(std::string_view page, std::map<std::string, std::string> values) {
    const std::string nonce = new_nonce();
    values["STYLE"] = report_css;
    values["NONCE"] = nonce;
    values["FENCE"] = "<meta http-equiv=\"Content-Security-Policy\" content=\"" + content_policy(nonce) +
                      "\">\n<meta name=\"referrer\" content=\"no-referrer\">";
    return filled(page, values);
}

}  // namespace gputided
