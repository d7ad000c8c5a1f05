#include "common/page.hpp"

#include "report_css.hpp"

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

std::string report_file(std::string_view page, std::map<std::string, std::string> values) {
    const std::string nonce = new_nonce();
    values["STYLE"] = report_css;
    values["NONCE"] = nonce;
    values["FENCE"] = "<meta http-equiv=\"Content-Security-Policy\" content=\"" + content_policy(nonce) +
                      "\">\n<meta name=\"referrer\" content=\"no-referrer\">";
    return filled(page, values);
}

}  // namespace gputided
