// A token as a file holds it or a program prints it: bare, or in one of the JSON shapes that such programs print.
// Comes in: the text; goes out: the token with its life.  Pure.  Never quotes what it could not read.
#pragma once

#include "auth/token/answer.hpp"
#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <string>

namespace gputide::auth {

struct held_token_rule {
    std::string origin;                         // for messages: "the output of az"
    std::int64_t unsaid_life_s = 0;             // of a token that does not tell its end
    std::int64_t most_life_s = longest_life_s;  // a file is read again after this, whatever its token says
};

// Shapes: the bare token on one line; {"accessToken", "expires_on" | "expiresOn"} (Azure CLI); {"access_token",
// "expires_in" | "expires_on"} (OAuth); {"status": {"token", "expirationTimestamp"}} (Kubernetes' ExecCredential).  Where
// no end is written, the claim exp of a JWT tells it.  expiresOn without a zone is local time, as the Azure CLI writes it.
// Class config, retryable: nothing there, or a token whose end has passed.  Class protocol: another shape.
result<token> read_held_token(const secret_text& text, const moment& now, const held_token_rule& rule);

}  // namespace gputide::auth
