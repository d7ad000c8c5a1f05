#include "run/pages/status_page.hpp"

#include "status_html.hpp"

#include <array>
#include <random>
#include <utility>

namespace gputided {
namespace {

constexpr std::string_view nonce_mark = "@NONCE@";

// A word that a page from elsewhere cannot know: 128 bits in hexadecimal.
std::string new_nonce() {
    static constexpr std::array<char, 17> digits{"0123456789abcdef"};
    std::random_device random;
    std::string out;
    for (int word = 0; word < 4; ++word) {
        for (std::uint32_t bits = random(), i = 0; i < 8; ++i, bits >>= 4U) out += digits.at(bits & 15U);
    }
    return out;
}

std::string with_nonce(const std::string& nonce) {
    std::string out(status_html);
    for (std::size_t at = out.find(nonce_mark); at != std::string::npos; at = out.find(nonce_mark, at)) {
        out.replace(at, nonce_mark.size(), nonce);
    }
    return out;
}

}  // namespace

web_answer status_page() {
    const std::string nonce = new_nonce();
    const std::string policy = "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
                               "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                               "frame-ancestors 'none'";
    return {200,
            "text/html; charset=utf-8",
            with_nonce(nonce),
            {{"Content-Security-Policy", policy},
             {"X-Content-Type-Options", "nosniff"},
             {"Referrer-Policy", "no-referrer"},
             {"Cache-Control", "no-store"}}};
}

web_answer data(std::string json) {
    return {200,
            "application/json; charset=utf-8",
            std::move(json),
            {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}}};
}

}  // namespace gputided
