// A token from a file or a program's output: bare, or in one of the usual JSON formats.
// In: the text; out: the token with its lifetime.  Pure.  Never quotes invalid input.
#pragma once

#include "auth/token/answer.hpp"
#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <string>

namespace gputide::auth {

struct held_token_rule {
    std::string origin;              // for messages: "the output of az"
    std::int64_t unsaid_life_s = 0;  // for a token without an expiry
    std::int64_t most_life_s =
        longest_life_s;  // a file is read again after this time even if its token is valid for longer
};

// Formats: the bare token on one line; {"accessToken", "expires_on" | "expiresOn"} (Azure CLI); {"access_token",
// "expires_in" | "expires_on"} (OAuth); {"status": {"token", "expirationTimestamp"}} (Kubernetes' ExecCredential).  If
// there is no expiry, the claim exp of a JWT is used.  expiresOn without a zone is local time, as the Azure CLI writes
// it.  Class config, retryable: no token, or an expired one.  Class protocol: another format.
result<token> read_held_token(const secret_text& text, const moment& now, const held_token_rule& rule);

}  // namespace gputide::auth
