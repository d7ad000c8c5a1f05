// Requests to token endpoints: the request, its response as a token, and its errors, for every credential that posts a form.
#pragma once

#include "auth/credential.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

// Errors of a token endpoint: class, text, fields, and whether to repeat the request.  Precedence: redirects (3xx), AADSTS
// numbers, the OAuth error code, the HTTP status.  Pure.

struct token_context;

// Reads the responses of a service that issues tokens.
struct token_service {
    // Parses a 2xx response.  `sent`: when the successful attempt was sent, or earlier.  `endpoint` is the server's URL for errors.
    result<token> (*read)(const http::response& response, const moment& sent, const std::string& endpoint);
    // Returns the error of any other response: its class, text and codes.  wall_ms: the current time, for retry_at_ms.
    error (*refuse)(const http::response& response, const token_context& about, std::int64_t wall_ms);
    // Tells whether repeating the request may succeed.
    bool (*again)(const http::answer& answer);
};

// Parses a token endpoint's 2xx response; pure.  Never quotes an invalid body: a truncated body may contain a token.
result<token> read_token_answer(const http::response& response, const moment& sent, const std::string& endpoint);
error read_entra_refusal(const http::response& response, const token_context& about, std::int64_t wall_ms);
// Allows a repetition after statuses 408 429 500 502 503 504, network faults except a failed TLS verification, and error bodies of
// class transient or throttled with any status.  Not after an AADSTS number that requires a change or a longer wait (propagation,
// a stale assertion, 50196).
bool token_again(const http::answer& answer);
inline constexpr token_service entra{&read_token_answer, &read_entra_refusal, &token_again};

// A request in messages, and the service that answers it.
struct token_context {
    std::string endpoint;              // URL of the token endpoint, without query
    std::string asked_for;             // "client <id>, scope <scope>"
    std::vector<secret_text> secrets;  // values that no text may contain: assertion, client secret
    const token_service* service = &entra;
};

// Returns the class of an HTTP status without a code that says more.
error_class class_of_token_status(std::int32_t http_status);

// Returns the error of an exchange without a 2xx response.
error judge_token_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms);

// Adds retry information: number of attempts, the server's Retry-After (retry_at_ms), the caller's deadline.
void add_peer_wait(error& failure, const http::retried& retried, std::int64_t wall_ms);

// Returns the error of an incomplete response, for any endpoint: "cannot connect to ...".
error_ptr transport_failure(const http::answer& answer, const std::string& endpoint);

// Removes the secrets from the text and the fields.
void redact_error(error& failure, const std::vector<std::string_view>& secrets);
void redact_error(error& failure, const std::vector<secret_text>& secrets);

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

// Sends the request as the next step of `under_way`, repeats it by `rule`, and wipes the response after `take`, which runs on the
// loop.  `sent` is the start of a token's lifetime: the time of the first attempt, and after a failed attempt that of the next
// one.  Never later than the successful attempt, so a token's lifetime is never overestimated.
void send_step(const std::shared_ptr<acquisition>& under_way, http::request request, http::retry_rule rule,
               callback<void(http::retried& retried, const moment& sent)> take);

// Sends the request as the next step of `under_way`, repeats it by `rule`, by default if the service's again() allows it, and
// reads the response as the service's.  `done` runs on the loop.
void send_token_request(const std::shared_ptr<acquisition>& under_way, http::request request, token_context about,
                        token_done done, http::retry_rule rule = {});

// Requests to endpoints on this machine, which respond immediately or do not exist: metadata services, agents of a container.
// One second to connect, never a proxy.  The caller must check that the address is loopback or link-local.
http::request local_request(std::string url);

}  // namespace gputide::auth
