// The checks of gate.hpp.  Messages name the rule and the remedy, never a header's value or the URL's user information.
#include "http/gate.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace gputide::http {

namespace {

answer refusal(fault why, std::string text) {
    answer out;
    out.fault = why;
    out.fault_text = std::move(text);
    return out;
}

bool breaks_line(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

// Characters of field names and methods (RFC 9110 5.6.2).
constexpr std::array<bool, 256> token_characters = [] {
    std::array<bool, 256> out{};
    for (const char one :
         std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
        out[static_cast<unsigned char>(one)] = true;
    }
    return out;
}();

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return token_characters[c]; });
}

std::optional<answer> malformed(const request& request) {
    if (!is_token(request.method))
        return refusal(fault::url, format_text("the method {} is no HTTP method", in_quotes(request.method, 40)));
    for (const header& one : request.headers) {
        if (!is_token(one.name))
            return refusal(fault::url,
                           format_text("the header name {} is no HTTP field name", in_quotes(one.name, 60)));
        if (breaks_line(one.value.reveal())) {
            return refusal(fault::url, format_text("the value of header {} holds a line break; remove it", one.name));
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<endpoint> endpoint_of(const request& request, const url_parts& url) {
    if (!request.tls || request.tls->connect_to.empty()) return endpoint{url.host, url.port};
    const auto other = parse_url("http://" + request.tls->connect_to);
    if (!other || other->has_user_info || other->has_query || other->has_fragment || !other->path.empty())
        return std::nullopt;
    return endpoint{other->host, other->port};
}

std::optional<answer> refused_unsent(const request& request) { return refused_unsent(request, parse_url(request.url)); }

std::optional<answer> refused_unsent(const request& request, const std::optional<url_parts>& url) {
    if (!url) return refusal(fault::url, "not an http or https URL; expected for example https://host:port/path");
    const auto to = endpoint_of(request, *url);
    if (!to)
        return refusal(fault::url, format_text("connect_to {} is not host:port", in_quotes(request.tls->connect_to)));
    if (auto wrong = malformed(request)) return wrong;
    if (!request.carries_credential && !url->has_user_info) return std::nullopt;
    if (request.only_verified && request.tls && !request.tls->verify && url->scheme == "https") {
        return refusal(fault::not_allowed,
                       format_text("a credential does not go to {}, as its certificate is not verified; name its CA "
                                   "instead of unsafeSsl, or let the host program allow unverified peers",
                                   to->host));
    }
    if (url->scheme == "https" || request.allow_plain_http) return std::nullopt;
    if (is_loopback(url->host) && is_loopback(to->host)) return std::nullopt;
    return refusal(
        fault::not_allowed,
        format_text(
            "a credential does not go over plain http to {}; use https, or let the host program allow plain http",
            to->host));
}

}  // namespace gputide::http
