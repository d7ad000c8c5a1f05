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
    if (access.oauth) return "the token of authModes oauth";
    if (access.family() != config::identity_family::none) return "the token of its identity";
    return url.has_user_info ? "the password in its address" : "";
}

bool is_readable_on_the_way(const std::optional<http::url_parts>& url) {
    return url && url->scheme == "http" && !http::is_loopback(url->host);
}

void warn(const config::trigger& trigger, const place& at, std::string_view secret, const std::string& host,
          config::report& findings) {
    findings.add(config::severity::warning, "credential-over-http", at,
                 format_text("{}: {} would go to {} over plain http, where everybody on the way can read it; it is not "
                             "sent unless the host program allows that",
                             trigger.label(), secret, host),
                 "write https");
}

}  // namespace

void warn_plain_http(const config::trigger& trigger, const config::parameters& parameters, std::string_view key,
                     std::string_view url, const settings& access, config::report* findings) {
    if (findings == nullptr) return;
    const auto parts = http::parse_url(url);
    if (!is_readable_on_the_way(parts)) return;
    const std::string_view secret = secret_sent(access, *parts);
    if (!secret.empty()) warn(trigger, parameters.place_of(key), secret, parts->host, *findings);
}

void warn_oauth_over_http(const config::trigger& trigger, const config::parameters& parameters, const settings& access,
                          config::report* findings) {
    if (findings == nullptr || !access.oauth) return;
    const auto parts = http::parse_url(access.oauth->token_url.reveal());
    if (!is_readable_on_the_way(parts)) return;
    warn(trigger, parameters.place_of("authModes"), "the client secret of authModes oauth", parts->host, *findings);
}

}  // namespace gputide::source::access
