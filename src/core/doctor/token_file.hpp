// Step `token_file`: the projected service-account token that workload identity exchanges.  Pure.
#pragma once

#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "doctor/step.hpp"

#include <cstdint>
#include <string>

namespace gputide::doctor {

struct token_file {
    std::string path;
    error why{status::ok};  // status ok where it was read and is a JWT
    auth::claims claims;    // of the assertion: iss, sub, aud, nbf, exp
    std::int64_t now_ms = 0;
};

step judge_token_file(const token_file& seen);

}  // namespace gputide::doctor
