// Tells which proxy a request uses and which setting names it, for messages. libcurl makes the same choice by itself.
#pragma once

#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

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
