// The parts of a URL, parsed as the transport does, and the checks before a request is sent.  Requests and responses are in
// wire/message.hpp.
#pragma once

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
    std::string fragment;
    bool has_user_info = false, has_query = false, has_fragment = false;
};
std::optional<url_parts> parse_url(std::string_view url);
bool has_user_info(std::string_view url);  // tells whether a URL has the form "http://user:password@host"

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

}  // namespace gputide::http
