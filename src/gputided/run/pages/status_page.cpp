#include "run/pages/status_page.hpp"

#include "common/page/page.hpp"
#include "status_html.hpp"

#include <utility>

namespace gputided {

web_answer status_page() {
    const std::string nonce = new_nonce();
    const std::string policy = policy_of_page(nonce) + "; connect-src 'self'; frame-ancestors 'none'";
    return {200, "text/html; charset=utf-8", filled(status_html, {{"NONCE", nonce}}), policy};
}

web_answer data(std::string json) { return {200, "application/json; charset=utf-8", std::move(json)}; }

}  // namespace gputided
