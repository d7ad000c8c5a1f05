#include "source/access/plain_http.hpp"

#include "base/format_text.hpp"
#include "http/message.hpp"

namespace gputide::source::access {
namespace {

// What would be sent, for the sentence; "": nothing that must stay secret.
std::string_view secret_sent(const settings& access, const http::url_parts& url) {
    if (access.has("bearer")) return "the bearer token";
    if (access.has("basic")) return "the password";
    if (access.has("custom")) return "the header of customAuthHeader";
    if (access.family() != config::identity_family::none) return "the token of its identity";
    return url.has_user_info ? "the password in its address" : "";
}

}  // namespace

void warn_plain_http(const config::trigger& trigger, const config::parameters& parameters, std::string_view key,
                     std::string_view url, const settings& access, config::report* findings) {
    if (findings == nullptr) return;
    const auto parts = http::parse_url(url);
    if (!parts || parts->scheme != "http" || http::is_loopback(parts->host)) return;
    const std::string_view secret = secret_sent(access, *parts);
    if (secret.empty()) return;
    findings->add(
        config::severity::warning, "credential-over-http", parameters.place_of(key),
        format_text("{}: {} would go to {} over plain http, where everybody on the way can read it; it is not "
                    "sent unless the host program allows that",
                    trigger.label(), secret, parts->host),
        "write https");
}

}  // namespace gputide::source::access
