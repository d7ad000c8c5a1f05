// A token's claims, for display (`gputided token`).  The signature is not verified, so no decision may depend on the claims.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/exchange.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

// A token from a file or a program's output: the bare token, or one of the usual JSON formats.  Pure.  Errors never quote the
// input.

struct held_token_rule {
    std::string origin;              // for messages: "the output of az"
    std::int64_t unsaid_life_s = 0;  // for a token without an expiry
    std::int64_t max_life_s =
        longest_life_s;  // a file is read again after this time, even if its token is valid longer
};

// Parses the bare token on one line; {"accessToken", "expires_on" | "expiresOn"} (Azure CLI); {"access_token", "expires_in" |
// "expires_on"} (OAuth); {"status": {"token", "expirationTimestamp"}} (Kubernetes' ExecCredential).  Without an expiry, uses the
// claim exp of a JWT. expiresOn without a zone is local time, as the Azure CLI writes it.  A missing or expired token is class
// config, retryable; another format is class protocol.
result<token> read_held_token(const secret_text& text, const moment& now, const held_token_rule& rule);

struct claims {
    std::string audience;                      // aud; several are joined by ", "
    std::string issuer;                        // iss
    std::string tenant;                        // tid
    std::string client;                        // appid (v1) or azp (v2)
    std::string object_id;                     // oid
    std::string subject;                       // sub
    std::optional<std::int64_t> expires_at_s;  // exp, Unix seconds
    std::optional<std::int64_t> starts_at_s;   // nbf
};

// Decodes the second part of a JWT, its claims.  Nothing: the token does not have three base64url parts.
std::optional<secret_text> decode_claims(std::string_view token);

// Parses the claims.  A text that is not a JWT is class protocol; it is never quoted.
result<claims> read_claims(std::string_view token);

// Returns the text claims by their names in the token: {"aud", "..."}, {"tid", "..."}, ... azp is the newer name of appid and is
// reported as appid.
std::vector<std::pair<std::string, std::string>> text_claims(const claims& claims);

// Returns text_claims() and exp as text.
std::vector<std::pair<std::string, std::string>> list_claims(const claims& claims);

}  // namespace gputide::auth
