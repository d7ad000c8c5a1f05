// The parts of a URL, parsed as the transport does, the checks before a request is sent, client certificates, and proxies.  Requests
// and responses are in wire/message.hpp.
#pragma once

#include "base/result.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Scheme, host, port of a URL, for checks and messages.
struct url_parts {
    std::string scheme;  // lower case
    std::string user_info;
    std::string host;       // lower case, without brackets
    std::int32_t port = 0;  // the default if the URL has none
    std::string path;       // "" or starts with '/'
    std::string query;      // without '?'
    bool has_user_info = false, has_query = false, has_fragment = false;

    // Tells whether another path can follow the URL.
    bool is_base() const { return !has_user_info && !has_query && !has_fragment; }
};
std::optional<url_parts> parse_url(std::string_view url);
bool has_user_info(std::string_view url);  // tells whether a URL has the form "http://user:password@host"

bool is_field_name(std::string_view text);  // tells whether it may be the name of a header, or a method

// Checks for requests that must not be sent: an invalid URL, a header with a line break, and a credential over plain http to
// another machine.  Pure.  Every loop runs them before the first byte, including the scripted loop of the tests.

// Returns the failure to report instead of sending; nullopt: the request may be sent.
std::optional<answer> refused_unsent(const request& request);
// With the parsed URL
std::optional<answer> refused_unsent(const request& request, const std::optional<url_parts>& url);

// Returns the host and port to connect to: tls.connect_to if set, else those of the URL.
struct endpoint {
    std::string host;  // lower case, without brackets
    std::int32_t port = 0;
};
std::optional<endpoint> endpoint_of(const request& request, const url_parts& url);

// Scheme, host and port of a URL as libcurl reads and uses them.

struct url_authority {
    std::string scheme;
    std::string host;  // IPv6 addresses with brackets
    std::string port;  // the default if the URL has none
};

// Returns nullopt for an invalid URL.  The function is null in libgputide-pure, which does not link libcurl.
#ifndef GPUTIDE_PURE_ONLY  // the sources of cmake/amalgamate.py
__attribute__((weak)) std::optional<url_authority> libcurl_authority(const std::string& url);
#endif

// A client certificate and its private key, as PEM texts in tls_settings: checks that they match, and keeps connections of
// different keys apart.

// Checks that the key matches the certificate; the error is class config.  Accepts unreadable input, such as an encrypted key,
// because the handshake rejects it.  libgputide-pure has no OpenSSL and does not check, because it sends no requests.
#ifndef GPUTIDE_PURE_ONLY
__attribute__((weak))
#endif
result<void>
check_client_certificate(const tls_settings& tls);

// Returns the certificate with a comment that depends on the key. libcurl 7.88 reuses a connection for a request with the same
// certificate without comparing keys (lib/vtls/vtls.c, Curl_ssl_config_matches): a caller with only the public certificate of
// another caller would use its connection.  PEM parsers ignore text outside of blocks.
std::string certificate_for_connections(const tls_settings& tls);

// Tells which proxy a request uses and which setting names it, for messages. libcurl makes the same choice by itself.

struct chosen_proxy {
    std::string url;       // may contain a password
    std::string variable;  // "http_proxy"; "": set by the host program's options
};

// Tells whether a request uses no proxy: none is configured, or the request goes to this machine.
bool goes_directly(const request& request, const url_parts& url);

// Returns nullopt if the request goes directly to its host.  Reads the environment.
std::optional<chosen_proxy> proxy_of(const request& request, const url_parts& url);

// Parses a proxy like libcurl (curl/curl lib/url.c parse_proxy @curl-7_88_1).
std::optional<endpoint> endpoint_of_proxy(const std::string& proxy);

// Returns the proxy that was used for a response or a failure, as from proxy_text(); "": none.  It is stored in `roots`, which
// otherwise only a rejected certificate uses.  A connection that failed there was the proxy's.
inline std::string_view proxy_of(const answer& answer) {
    return answer.fault == fault::tls_verify ? std::string_view() : std::string_view(answer.roots);
}

// Returns "127.0.0.1:3128 (http_proxy)", without a password.
std::string proxy_text(const chosen_proxy& proxy);

// Tells whether a list such as NO_PROXY contains the host (curl/curl lib/noproxy.c Curl_check_noproxy @curl-7_88_1): "*", a
// domain with its subdomains, an address, or a network such as 10.0.0.0/8.
bool is_excepted(std::string_view list, std::string_view host);

}  // namespace gputide::http
