// Endpoints on this machine, which answer at once or do not exist: metadata services, agents of a container.
// One attempt, a second to connect, never a proxy.  The caller must have checked that the address is loopback or
// link-local.
#pragma once

#include "http/message.hpp"
#include "http/retry.hpp"

#include <string>

namespace gputide::auth {

http::request local_request(std::string url);
http::retry_rule no_retry();

}  // namespace gputide::auth
