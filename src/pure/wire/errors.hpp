// Errors for transport faults, HTTP statuses and unusable responses.  The reader interprets the body.
#pragma once

#include "base/error.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Returns the fault and the remedy, without the address, which the caller adds.  Requires answer.arrived() to be false.
error fault_error(const answer& answer);

bool is_redirect(std::int32_t http_status);

// Returns the meaning of an HTTP status if the body does not say more.  401 auth, 403 forbidden, 429 and 529 throttled,
// 408 and 5xx unavailable, the rest of 4xx rejected, anything else protocol; 408, 429, 500, 502, 503, 504 and 529 are
// retryable.
class_meaning meaning_of_status(std::int32_t http_status);

// Returns an error of that class with the status' own meaning: for http, api and server_status.
error fail_http(error_class kind, std::int32_t http_status, std::string message);

// Returns why there is no body, whatever the status means to the reader: no response, a coding that was not decoded,
// more than limits::response_bytes.  Class encoding, limit, or the transport's.  Nothing: check the status, then the
// body.
std::optional<error> unreadable(const answer& answer);

// Returns the error for an HTTP status that is not a success: status and retryable by the code, class redirect, unencrypted or http.
error status_error(const response& response, std::string text);

// Recognizes a TLS server's response to plain text: 400 with a text of Go's net/http, nginx or Apache.  Other servers
// only close the connection.  Class unencrypted, with the remedy after `text`; nothing: another response.
std::optional<error> tls_port_error(const response& response, std::string_view text);

// Returns the first 200 bytes of a body, without tokens and control characters, of an HTML page its title; "" where they are not
// printable text.
std::string excerpt(std::string_view body);

// Keeps the excerpt of the body as a field of the error, not in its message.  The author of a manifest chooses the address, and
// messages reach the pages: an internal service's body is for the host alone.
void note_body(error& failure, const response& response);
std::string_view noted_body(const error& failure);  // "": none

// Returns the first valid of retry-after-ms, x-ms-retry-after-ms, Retry-After (seconds, or an HTTP date relative to the
// response's Date, else to wall_ms).  Zero, negative and past count as none.
std::optional<std::int64_t> wished_delay_ms(const response& reply, std::int64_t wall_ms);

// Sets retry_after_ms to the delay that the peer asks for; a caller with a clock computes retry_at_ms.
void note_retry_after(error& failure, const response& response);

}  // namespace gputide::http
