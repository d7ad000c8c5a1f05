// The parts of a URL, read as the transport reads them, and what may be sent.  Requests and responses are in
// wire/message.hpp.
#pragma once

#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Scheme, host, port of a URL, for checks and messages.  Nothing for an invalid http(s) URL.
struct url_parts {
    std::string scheme;  // lower case
    std::string user_info;
    std::string host;       // lower case, without brackets
    std::int32_t port = 0;  // default filled in
    std::string path;       // "" or starts with '/'
    std::string query;      // without '?'
    std::string fragment;
    bool has_user_info = false, has_query = false, has_fragment = false;
};
std::optional<url_parts> parse_url(std::string_view url);
bool has_user_info(std::string_view url);  // "http://user:password@host"

// Requests that are never sent: an invalid URL, a header that would become two, and a credential over plain http to
// another machine.  Pure; every loop checks here before the first byte, including the scripted loop of the tests.

// Returns the failed result that replaces the exchange; nothing: the request may be sent.
std::optional<answer> refused_unsent(const request& request);
std::optional<answer> refused_unsent(const request& request, const std::optional<url_parts>& url);  // already parsed

// Returns where the request really connects to: tls.connect_to if set, else the URL's host and port.
struct endpoint {
    std::string host;  // lower case, without brackets
    std::int32_t port = 0;
};
std::optional<endpoint> endpoint_of(const request& request, const url_parts& url);

}  // namespace gputide::http
