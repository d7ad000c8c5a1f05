// Azure Arc's proof that the caller may read the agent's files: the identity endpoint names a file, and its content
// authorizes the request.  The name comes from a peer, so it is checked before a file is opened.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "http/message.hpp"

namespace gputide::auth {

// Returns the Authorization header for the second request, from the 401 of the first: `WWW-Authenticate: Basic
// realm=<path>`.  The path must be a file *.key directly in /var/opt/azcmagent/tokens, at most 4096 bytes, not a link.
// Anything else is class security and no file is opened; an unreadable file is class config.
result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host);

}  // namespace gputide::auth
