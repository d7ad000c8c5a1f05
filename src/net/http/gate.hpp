// Requests that are never sent: an invalid URL, a header that would become two, and a credential over plain http to
// another machine.  Pure; every loop checks here before the first byte, including the scripted loop of the tests.
#pragma once

#include "http/message.hpp"

#include <optional>

namespace gputide::http {

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
