// Azure Arc's proof that the caller may read the agent's files: the identity endpoint names a file, its content opens the
// door.  The name comes from a peer, so it is checked before anything is opened.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "http/message.hpp"

namespace gputide::auth {

// The Authorization header for the second request, from the 401 that answered the first: `WWW-Authenticate: Basic
// realm=<path>`.  The path must be a file *.key right in /var/opt/azcmagent/tokens, at most 4096 bytes, not a link.
// Anything else is class security and opens nothing; a file that may not be read is class config.
result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host);

}  // namespace gputide::auth
