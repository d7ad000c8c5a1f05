// Requests to endpoints on this machine, which respond immediately or do not exist: metadata services, agents of a container.
// One attempt, one second to connect, never a proxy.  The caller must check that the address is loopback or link-local.
#pragma once

#include "http/message.hpp"
#include "http/retry.hpp"

#include <string>

namespace gputide::auth {

http::request local_request(std::string url);
http::retry_rule no_retry();

}  // namespace gputide::auth
