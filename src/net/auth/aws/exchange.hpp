// One request for AWS keys, with retries, and the meaning of its errors.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/error.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gputide::auth {

// `done` runs on the loop.
std::shared_ptr<http::exchange> send_for_keys(http::loop& loop, http::request request, http::retry_rule rule,
                                              std::int64_t deadline_ms, token_context about, token_done done);

// Returns the error of an exchange without a 2xx response.  Reads {"Error": {"Code", "Message"}} and {"Code" | "code",
// "Message" | "message"}; the code decides first, then the status.
error judge_aws_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms);

}  // namespace gputide::auth
