// One form to a token endpoint and its answer, retries included.  Shared by every credential that posts a form.
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

// Every octet outside A-Za-z0-9-._~ escaped, the copies on the way wiped.
secret_text form_body(const form_fields& fields);

// TLS settings of the token endpoint as the host wants them; null: the client's defaults.
std::shared_ptr<const http::tls_settings> endpoint_tls(const host_permissions& permissions);

// The POST: form, headers, a fresh client-request-id.  `tls` may be null.
http::request token_request(const std::string& url, const form_fields& fields,
                            std::shared_ptr<const http::tls_settings> tls);

// The base of a token's life, kept while `rule` runs: when the first attempt was sent, moved forward when one has failed and
// is repeated.  Never later than the sending of the attempt that succeeds, so no token seems to live longer than it does.
std::shared_ptr<const moment> note_sending(const http::loop& loop, http::retry_rule& rule);

// Reads an answer with status 2xx: read_token_answer(), or the rules of another kind of endpoint.
using token_reader = result<token> (*)(const http::response& response, const moment& sent, const std::string& endpoint);

// Sends, repeats and judges by `rule`.  `done` runs on the loop.
std::shared_ptr<http::exchange> send_token_request(http::loop& loop, http::request request, http::retry_rule rule,
                                                   std::int64_t deadline_ms, token_context about,
                                                   std::function<void(result<token>)> done,
                                                   token_reader read = &read_token_answer);

// 3 retries, 800 ms x (2^k - 1), at most 60 s, what token_again() says.
http::retry_rule token_retry_rule();

}  // namespace gputide::auth
