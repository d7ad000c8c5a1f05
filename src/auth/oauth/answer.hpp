// A token endpoint's answer with status 2xx, read as golang.org/x/oauth2 reads it (v0.30 internal/token.go doTokenRoundTrip): JSON or a
// form, any token_type, a life that may be missing.  Pure.
#pragma once

#include "auth/token/answer.hpp"

namespace gputide::auth {

// A token is usable until 10 s before its end and is not renewed ahead; without expires_in it has no end.
result<token> read_oauth_answer(const http::response& response, const moment& sent, const std::string& endpoint);

}  // namespace gputide::auth
