// Which proxy a request goes through, and what names it: for messages.  libcurl makes the same choice by itself.
#pragma once

#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

struct chosen_proxy {
    std::string url;       // may hold a password
    std::string variable;  // "http_proxy"; "": the host program's options name it
};

// Returns whether a request never uses a proxy: none is set, or it goes to this machine.
bool goes_directly(const request& request, const url_parts& url);

// Returns nothing if the request goes to its host directly.  Reads the environment.
std::optional<chosen_proxy> proxy_of(const request& request, const url_parts& url);

// Parses a proxy as libcurl does (curl/curl lib/url.c parse_proxy @curl-7_88_1).
std::optional<endpoint> endpoint_of_proxy(const std::string& proxy);

// Returns the proxy that an answer came or failed through, as proxy_text() has it; "": none.  An answer carries it in `roots`, which
// otherwise only a refused certificate needs.  A connection that failed there was the proxy's.
inline std::string_view proxy_of(const answer& answer) {
    return answer.fault == fault::tls_verify ? std::string_view() : std::string_view(answer.roots);
}

// Returns "127.0.0.1:3128 (http_proxy)", without a password.
std::string proxy_text(const chosen_proxy& proxy);

// Reports whether a list such as NO_PROXY excepts the host (curl/curl lib/noproxy.c Curl_check_noproxy @curl-7_88_1): "*", a
// domain with its subdomains, an address, or a network such as 10.0.0.0/8.
bool is_excepted(std::string_view list, std::string_view host);

}  // namespace gputide::http
