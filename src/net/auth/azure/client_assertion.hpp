// The JWT with which an application proves that it has its certificate (RFC 7523).  A new one for each request.
#pragma once

#include "auth/crypto/certificate.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <string>

namespace gputide::auth {

struct assertion_claims {
    std::string audience;    // URL of the token endpoint, exactly as used for the request
    std::string client_id;   // iss and sub
    std::string id;          // jti, a fresh UUID
    std::int64_t now_s = 0;  // nbf; exp is ten minutes later
};

// Returns JSON without blanks, members in this order: alg, typ, then x5t#S256 (PS256) or x5t (RS256), then x5c if asked
// for.
std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain);
std::string assertion_payload(const assertion_claims& claims);

// Returns header.payload.signature, each base64url.
result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims);

}  // namespace gputide::auth
