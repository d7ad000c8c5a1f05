// A token endpoint's 2xx response, parsed as in golang.org/x/oauth2 (v0.30 internal/token.go doTokenRoundTrip): JSON or
// a form, any token_type, an optional lifetime.  Pure.
#pragma once

#include "auth/token/answer.hpp"

namespace gputide::auth {

// A token is usable until 10 s before its expiry and is not renewed early; without expires_in it never expires.
result<token> read_oauth_answer(const http::response& response, const moment& sent, const std::string& endpoint);

}  // namespace gputide::auth
