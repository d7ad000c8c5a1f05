// One request for keys of AWS and its answer, retries included; what a refusal means.
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

// The error of an exchange that did not end with a 2xx answer.  Reads {"Error": {"Code", "Message"}} and {"Code" | "code",
// "Message" | "message"}; the code first, then the status.
error judge_aws_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms);

}  // namespace gputide::auth
