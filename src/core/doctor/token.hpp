// Steps `token_file` and `token`: the projected service-account token that workload identity exchanges, and the access token or
// the reason why there is none.  Pure.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "doctor/step.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::doctor {

struct token_file {
    std::string path;
    error why{status::ok};  // status ok if the file was read and is a JWT
    auth::claims claims;    // of the assertion: iss, sub, aud, nbf, exp
    std::int64_t now_ms = 0;
};

step judge_token_file(const token_file& seen);

struct token {
    auth::introduction who;
    std::string scope;
    error why{status::ok};  // status ok: a token was issued
    std::int64_t expires_at_ms = 0;
    std::optional<auth::claims> claims;     // of the access token; nullopt: it is opaque
    std::optional<auth::claims> assertion;  // of the exchanged service-account token
    std::int64_t now_ms = 0;
};

step judge_token(const token& seen);

}  // namespace gputide::doctor
