// Parses URLs.  Ambiguous URLs are parsed by libcurl's own parser, so that a check here and the transport always agree about the
// host.
#include "http/message.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "wire/message.hpp"

#include <algorithm>
#include <array>

namespace gputide::http {

namespace {

// Tells whether a host follows "://": libcurl also accepts "http:host" and "http:///host", which are typing mistakes.
bool has_plain_authority(std::string_view url) {
    const std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || url.substr(colon, 3) != "://") return false;
    return url.size() > colon + 3 && url[colon + 3] != '/';
}

// Returns the part between scheme and path, user information included.
std::string_view authority_of(std::string_view url) {
    const std::size_t begin = url.find("://") + 3;
    std::size_t end = begin;
    while (end < url.size() && url[end] != '/' && url[end] != '?' && url[end] != '#') ++end;
    return url.substr(begin, end - begin);
}

// Reads the text after the authority as written, because libcurl does not report empty parts.
void read_tail(url_parts& out, std::string_view url, std::string_view authority) {
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        out.has_user_info = true;
        out.user_info = authority.substr(0, at);
    }
    std::string_view tail = url.substr(static_cast<std::size_t>(authority.data() + authority.size() - url.data()));
    if (const std::size_t hash = tail.find('#'); hash != std::string_view::npos) {
        out.has_fragment = true;
        tail = tail.substr(0, hash);
    }
    if (const std::size_t mark = tail.find('?'); mark != std::string_view::npos) {
        out.has_query = true;
        out.query = tail.substr(mark + 1);
        tail = tail.substr(0, mark);
    }
    out.path = tail;
}

std::optional<std::int32_t> port_number(std::string_view digits) {
    if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::int32_t out = 0;
    for (const char digit : digits) out = out * 10 + (digit - '0');
    return out < 1 || out > 65'535 ? std::nullopt : std::optional(out);
}

constexpr bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; }

bool has_blank_or_control(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c <= 0x20 || c == 0x7f; });
}

// Tells whether every parser reads the host in the same way: a name that starts with a letter, or four decimal numbers without
// leading zeros.
bool is_plain_host(std::string_view host) {
    if (host.empty() || host.size() > 253) return false;
    if (is_letter(host.front())) return std::ranges::all_of(host, is_of_name);
    return parse_ipv4(host).has_value();
}

// Parses the URLs of nearly all requests, which need no normalization; libcurl's parser would make a poll 10 % more expensive.
std::optional<url_parts> read_plain(std::string_view url) {
    const bool secure = starts_with_ignoring_case(url, "https://");
    if (!secure && !starts_with_ignoring_case(url, "http://")) return std::nullopt;
    const std::string_view authority = authority_of(url);
    const std::size_t port_mark = authority.find(':');
    const std::string_view host = authority.substr(0, port_mark);
    if (!is_plain_host(host) || has_blank_or_control(url)) return std::nullopt;

    url_parts out;
    out.scheme = secure ? "https" : "http";
    out.host = lower(host);
    out.port = secure ? 443 : 80;
    if (port_mark != std::string_view::npos) {
        const auto port = port_number(authority.substr(port_mark + 1));
        if (!port) return std::nullopt;
        out.port = *port;
    }
    read_tail(out, url, authority);
    return out;
}

// Splits any other URL without libcurl, for libgputide-pure, and rejects hosts that libcurl rejects.
std::optional<url_authority> split_authority(std::string_view url) {
    const std::string_view authority = authority_of(url);
    const std::string_view place = authority.substr(authority.find('@') + 1);  // npos + 1 is 0
    const std::size_t bracket = place.rfind(']');
    const std::size_t mark = place.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const bool is_odd = bracket == std::string_view::npos &&
                        place.substr(0, mark).find_first_of("@\\{}[$'\"^`*<>=;,") != std::string_view::npos;
    if (is_odd || has_blank_or_control(url)) return std::nullopt;
    url_authority out{std::string(url.substr(0, url.find(':'))), std::string(place.substr(0, mark)), {}};
    if (mark != std::string_view::npos && mark + 1 < place.size()) {
        out.port = place.substr(mark + 1);
    } else {
        out.port = equal_ignoring_case(out.scheme, "https") ? "443" : "80";
    }
    return out;
}

std::optional<url_parts> read_unusual(std::string_view url) {
#ifdef GPUTIDE_PURE_ONLY
    const std::optional<url_authority> read = split_authority(url);
#else
    const std::optional<url_authority> read =
        &libcurl_authority == nullptr ? split_authority(url) : libcurl_authority(std::string(url));
#endif
    if (!read) return std::nullopt;
    url_parts out;
    out.scheme = lower(read->scheme);
    if (out.scheme != "http" && out.scheme != "https") return std::nullopt;
    out.host = without_brackets(lower(read->host));
    const auto port = port_number(read->port);
    if (out.host.empty() || !port) return std::nullopt;
    out.port = *port;
    read_tail(out, url, authority_of(url));
    return out;
}

}  // namespace

std::optional<url_parts> parse_url(std::string_view url) {
    if (!has_plain_authority(url) || url.find('\0') != std::string_view::npos) return std::nullopt;
    if (auto plain = read_plain(url)) return plain;
    return read_unusual(url);
}

bool has_user_info(std::string_view url) {
    return has_plain_authority(url) && authority_of(url).find('@') != std::string_view::npos;
}

// Checks before a request is sent.  Messages name rule and remedy, never a header's value or the URL's user information.

namespace {

bool breaks_line(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

// Characters of field names and methods (RFC 9110 5.6.2).
constexpr std::array<bool, 256> token_characters = [] {
    std::array<bool, 256> out{};
    for (const char character :
         std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
        out[static_cast<unsigned char>(character)] = true;
    }
    return out;
}();

std::optional<answer> malformed(const request& request) {
    if (!is_field_name(request.method))
        return answer(fault::url, format_text("the method {} is not an HTTP method", in_quotes(request.method, 40)));
    for (const header& header : request.headers) {
        if (!is_field_name(header.name))
            return answer(fault::url,
                          format_text("the header name {} is not an HTTP field name", in_quotes(header.name, 60)));
        if (breaks_line(header.value.reveal())) {
            return answer(fault::url,
                          format_text("the value of header {} contains a line break; remove it", header.name));
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_field_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return token_characters[c]; });
}

std::optional<endpoint> endpoint_of(const request& request, const url_parts& url) {
    if (!request.tls || request.tls->connect_to.empty()) return endpoint{url.host, url.port};
    const auto other = parse_url("http://" + request.tls->connect_to);
    if (!other || !other->is_base() || !other->path.empty()) return std::nullopt;
    return endpoint{other->host, other->port};
}

std::optional<answer> refused_unsent(const request& request) { return refused_unsent(request, parse_url(request.url)); }

std::optional<answer> refused_unsent(const request& request, const std::optional<url_parts>& url) {
    if (!url) return answer(fault::url, "not an http or https URL; expected for example https://host:port/path");
    const auto to = endpoint_of(request, *url);
    if (!to)
        return answer(fault::url, format_text("connect_to {} is not host:port", in_quotes(request.tls->connect_to)));
    if (auto wrong = malformed(request)) return wrong;
    if (!request.carries_credential && !url->has_user_info) return std::nullopt;
    if (request.only_verified && request.tls && !request.tls->verify && url->scheme == "https") {
        return answer(fault::not_allowed,
                      format_text("a credential is not sent to {}, because its certificate is not verified; configure "
                                  "its CA instead of unsafeSsl, or allow unverified peers in the host program",
                                  to->host));
    }
    if (url->scheme == "https" || request.allow_plain_http) return std::nullopt;
    if (is_loopback(url->host) && is_loopback(to->host)) return std::nullopt;
    return answer(fault::not_allowed, format_text("a credential is not sent over plain http to {}; use https, or "
                                                  "allow it in the host program (gputided: --allow-plain-http)",
                                                  to->host));
}

}  // namespace gputide::http
