// Implements local_endpoint.hpp.
#include "auth/machine/local_endpoint.hpp"

#include "base/limits.hpp"

#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t probe_ms = 1'000;
constexpr std::int64_t attempt_ms = 10'000;  // the service may depend on other services for its first token

}  // namespace

http::request local_request(std::string url) {
    http::request out;
    out.url = std::move(url);
    out.use_proxy = false;
    out.carries_credential = true;
    out.allow_plain_http = true;
    out.connect_timeout_ms = probe_ms;
    out.attempt_timeout_ms = attempt_ms;
    out.max_bytes = limits::token_response_bytes;
    return out;
}

http::retry_rule no_retry() {
    http::retry_rule out;
    out.max_retries = 0;
    out.again = [](const http::answer&) { return false; };
    return out;
}

}  // namespace gputide::auth
