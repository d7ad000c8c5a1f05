// Posts a form to a token endpoint, with retries, and parses the response, for every credential that posts a form.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/answer.hpp"
#include "auth/token/error.hpp"
#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

using form_fields = std::vector<std::pair<std::string_view, std::string_view>>;

// RFC 7523: the assertion in the form is a JWT.
inline constexpr std::string_view jwt_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

// Encodes the form, escaping every octet outside A-Za-z0-9-._~, and wipes intermediate copies.
secret_text form_body(const form_fields& fields);

// Returns the host's TLS settings for the token endpoint; null: the client's defaults.
std::shared_ptr<const http::tls_settings> endpoint_tls(const host_permissions& permissions);

// Returns the POST request: form, headers, a new client-request-id.  `tls` may be null.
http::request token_request(const std::string& url, const form_fields& fields,
                            std::shared_ptr<const http::tls_settings> tls);

// Returns the start of a token's lifetime, updated while `rule` runs: the time of the first attempt, and after a failed attempt
// that of the next one.  Never later than the successful attempt, so a token's lifetime is never overestimated.
std::shared_ptr<const moment> note_sending(const http::loop& loop, http::retry_rule& rule);

// Parses a 2xx response: read_token_answer(), or another function for other endpoints.
using token_reader = result<token> (*)(const http::response& response, const moment& sent, const std::string& endpoint);

// Sends the request, repeats it by `rule` and classifies errors.  `done` runs on the loop.
std::shared_ptr<http::exchange> send_token_request(http::loop& loop, http::request request, http::retry_rule rule,
                                                   std::int64_t deadline_ms, token_context about,
                                                   std::function<void(result<token>)> done,
                                                   token_reader read = &read_token_answer);

// Returns the rule: 3 repetitions after 800 ms x (2^k - 1), at most 60 s, if token_again() allows it.
http::retry_rule token_retry_rule();

}  // namespace gputide::auth
