// Requests and responses as values: header lookup, URL parsing, names.  Ambiguous URLs are parsed by libcurl's own
// parser, so that a check here and the transport always agree about the host.
#include "http/message.hpp"

#include "base/format_text.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "http/curl_url.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>

namespace gputide::http {

namespace {

template <class Headers>
auto* find_header(Headers& headers, std::string_view name) {
    for (auto& one : headers) {
        if (equal_ignoring_case(one.name, name)) return &one;
    }
    return static_cast<decltype(&headers.front())>(nullptr);
}

// libcurl also accepts "http:host" and "http:///host"; these are typing mistakes.
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

// Returns the text after the authority as written: libcurl drops whether an empty part was present.
void read_tail(url_parts& out, std::string_view url, std::string_view authority) {
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        out.has_user_info = true;
        out.user_info = authority.substr(0, at);
    }
    std::string_view tail = url.substr(static_cast<std::size_t>(authority.data() + authority.size() - url.data()));
    if (const std::size_t hash = tail.find('#'); hash != std::string_view::npos) {
        out.has_fragment = true;
        out.fragment = tail.substr(hash + 1);
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
    for (const char one : digits) out = out * 10 + (one - '0');
    return out < 1 || out > 65'535 ? std::nullopt : std::optional(out);
}

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; }

bool has_blank_or_control(std::string_view text) {
    unsigned char found = 0;  // without a branch, so that the compiler can vectorize
    for (const char c : text) {
        found |=
            static_cast<unsigned char>(static_cast<unsigned char>(c) <= 0x20) | static_cast<unsigned char>(c == 0x7f);
    }
    return found != 0;
}

// Tells whether every parser reads the host alike: a name that starts with a letter, or four decimal numbers without
// leading zeros.
bool is_plain_host(std::string_view host) {
    if (host.empty() || host.size() > 253) return false;
    if (is_letter(host.front())) return std::all_of(host.begin(), host.end(), is_of_name);
    in_addr address{};
    return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

// Parses the URLs of nearly all requests, which need no normalization; libcurl's parser costs a poll a tenth more.
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

std::optional<url_parts> read_by_libcurl(std::string_view url) {
    const url_handle handle = new_url();
    const std::string text(url);
    if (curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK) return std::nullopt;

    url_parts out;
    out.scheme = lower(part_of(handle, CURLUPART_SCHEME));
    if (out.scheme != "http" && out.scheme != "https") return std::nullopt;
    out.host = without_brackets(lower(part_of(handle, CURLUPART_HOST)));
    const auto port = port_number(part_of(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT));
    if (out.host.empty() || !port) return std::nullopt;
    out.port = *port;
    read_tail(out, url, authority_of(url));
    return out;
}

const never_destroyed<std::shared_ptr<const request>> no_request{std::make_shared<const request>()};

}  // namespace

bool same_settings(const tls_settings& a, const tls_settings& b) {
    return a.ca_pem == b.ca_pem && a.ca_file == b.ca_file && a.verify == b.verify && a.server_name == b.server_name &&
           a.connect_to == b.connect_to && a.proxy == b.proxy && a.user_agent == b.user_agent &&
           same_secret(a.client_certificate_pem.reveal(), b.client_certificate_pem.reveal()) &&
           same_secret(a.client_key_pem.reveal(), b.client_key_pem.reveal());
}

const header* request::find(std::string_view name) const { return find_header(headers, name); }

const std::shared_ptr<const request>& outgoing::nothing() { return *no_request; }

std::optional<std::string_view> response::header(std::string_view name) const {
    const response_header* found = find_header(headers, name);
    if (found == nullptr) return std::nullopt;
    return found->value;
}

const char* fault_name(fault kind) noexcept {
    static constexpr std::array names = {
        "none",  "url",        "not_allowed",   "resolve",   "connect", "timeout",   "deadline", "cancelled",
        "reset", "tls_verify", "tls_handshake", "too_large", "crowded", "no_memory", "encoding", "other"};
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "unknown";
}

std::optional<url_parts> parse_url(std::string_view url) {
    if (!has_plain_authority(url) || url.find('\0') != std::string_view::npos) return std::nullopt;
    if (auto plain = read_plain(url)) return plain;
    return read_by_libcurl(url);
}

bool has_user_info(std::string_view url) {
    return has_plain_authority(url) && authority_of(url).find('@') != std::string_view::npos;
}

std::string host_and_port(std::string_view host, std::int32_t port) {
    const bool bare_ipv6 = host.find(':') != std::string_view::npos;
    std::string out = bare_ipv6 ? format_text("[{}]", host) : std::string(host);
    return format_text("{}:{}", out, port);
}

bool is_path_part(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && text.find_first_of("/\\?#%") == std::string_view::npos;
}

bool is_loopback(std::string_view host) {
    if (host.empty()) return false;
    if (is_letter(host.front()) && host.find(':') == std::string_view::npos)
        return equal_ignoring_case(host, "localhost");
    const std::string text(host);
    in_addr four{};
    if (inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
    in6_addr six{};
    return inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

}  // namespace gputide::http
