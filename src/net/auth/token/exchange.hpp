// Posts a form to a token endpoint, with retries, and parses the response, for every credential that posts a form.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/error.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

// Parses a token endpoint's 2xx response, for all credentials; pure.  Never quotes an invalid body: a truncated body may contain
// a token.

// `sent`: when the successful attempt was sent, or earlier.  `endpoint` is the server's URL for errors.
result<token> read_token_answer(const http::response& response, const moment& sent, const std::string& endpoint);

// Return errors of class protocol: "<endpoint> answered with HTTP 200 and <why>", and a body that has no expected format.
error_ptr unusable_token_answer(const std::string& endpoint, const http::response& response, const std::string& why);
error_ptr unreadable_token_answer(const std::string& endpoint, const http::response& response);

// Returns a token issued at `sent` with a lifetime of life_s seconds.
token token_living(secret_text value, const moment& sent, std::int64_t life_s, std::int64_t refresh_in_s = 0);

// Maximum accepted lifetime in seconds.
inline constexpr std::int64_t longest_life_s = 2'147'483'647;

// Tells whether a text has control characters: in a token they would end its header and begin another.
bool has_control_character(std::string_view text);

// Return when to renew a token with a lifetime of `life_s` seconds, and how long to use it; both in seconds from its issue.
// Renewal: refresh_in if 0 < refresh_in <= life; otherwise at half the life from 7200 s on, five minutes before the end above 600
// s, else at half.  Usable: until min(60, life / 10) before the end. 3599 -> renew at 3299, usable until 3539.
std::int64_t renewal_after_s(std::int64_t life_s, std::int64_t refresh_in_s);
std::int64_t usable_for_s(std::int64_t life_s);

using form_fields = std::vector<std::pair<std::string_view, std::string_view>>;

// Encodes the form, escaping every octet outside A-Za-z0-9-._~, and wipes intermediate copies.
secret_text form_body(const form_fields& fields);

// Returns the POST request: form, headers, a new client-request-id.  `tls` may be null.
http::request token_request(const std::string& url, const form_fields& fields,
                            std::shared_ptr<const http::tls_settings> tls);

// Returns the start of a token's lifetime, updated while `rule` runs: the time of the first attempt, and after a failed attempt
// that of the next one.  Never later than the successful attempt, so a token's lifetime is never overestimated.
std::shared_ptr<const moment> note_sending(const http::loop& loop, http::retry_rule& rule);

// Parses a 2xx response: read_token_answer(), or another function for other endpoints.
using token_reader = result<token> (*)(const http::response& response, const moment& sent, const std::string& endpoint);

// Returns the rule: 3 repetitions after 800 ms x (2^k - 1), at most 60 s, if token_again() allows it.
http::retry_rule token_retry_rule();

// Sends the request as the next step of `under_way`, repeats it by `rule` and classifies errors.  `done` runs on the loop.
void send_token_request(const std::shared_ptr<acquisition>& under_way, http::request request, token_context about,
                        token_done done, http::retry_rule rule = token_retry_rule(),
                        token_reader read = &read_token_answer);

// Requests to endpoints on this machine, which respond immediately or do not exist: metadata services, agents of a container.
// One attempt, one second to connect, never a proxy.  The caller must check that the address is loopback or link-local.

http::request local_request(std::string url);
http::retry_rule no_retry();

}  // namespace gputide::auth
