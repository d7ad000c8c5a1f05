// What is never sent, whatever the peer would say: a URL that is none, a header that would become two, and a credential
// over plain http to another machine.  Pure; every loop asks here before the first byte, the scripted one of the tests too.
#pragma once

#include "http/message.hpp"

#include <optional>

namespace gputide::http {

// The answer that stands in for the exchange; nothing: the request may go out.
std::optional<answer> refused_unsent(const request& request);
std::optional<answer> refused_unsent(const request& request, const std::optional<url_parts>& url);  // already read

// Where the request really connects to: tls.connect_to where set, else the URL's host and port.
struct endpoint {
    std::string host;  // lower case, without brackets
    std::int32_t port = 0;
};
std::optional<endpoint> endpoint_of(const request& request, const url_parts& url);

}  // namespace gputide::http
