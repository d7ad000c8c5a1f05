// Errors for transport faults, HTTP statuses and unusable responses.  Readers of the response interpret its body.
#pragma once

#include "base/error.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Returns the fault and the remedy; the caller adds the address. answer.arrived() must be false.
error fault_error(const answer& answer);

bool is_redirect(std::int32_t http_status);

// Returns the meaning of an HTTP status for a body without more details. 401 auth, 403 forbidden, 429 and 529 throttled, 408
// and 5xx unavailable, the rest of 4xx rejected, anything else protocol; 408, 429, 500, 502, 503, 504 and 529 are retryable.
class_meaning meaning_of_status(std::int32_t http_status);

// Returns an error of that class with the status' meaning: for http, api and server_status.
error fail_http(error_class kind, std::int32_t http_status, std::string message);

// Returns why the body is not readable, independent of the HTTP status: no response, a coding that was not decoded, more
// than limits::response_bytes.  Class encoding, limit, or the transport's.  Nothing: check the status, then the body.
std::optional<error> unreadable(const answer& answer);

// Returns the error for an HTTP status that is not a success: its status and retryable, and the class redirect, unencrypted
// or http.
error status_error(const response& response, std::string text);

// Recognizes the response of a TLS server to plain text: 400 with a text of Go's net/http, nginx or Apache.  Other servers
// only close the connection.  Returns class unencrypted, with the remedy after `text`; nothing for any other response.
std::optional<error> tls_port_error(const response& response, std::string_view text);

// Returns the first 200 bytes of a body without tokens and control characters, for an HTML page its title; "" if the bytes
// are not printable text.
std::string excerpt(std::string_view body);

// Stores the excerpt of the body as a field of the error, not in its message.  The author of a manifest chooses the address,
// and messages are shown on pages: only the host may see the body of an internal service.
void note_body(error& failure, const response& response);
std::string_view noted_body(const error& failure);  // "": no excerpt

// Returns the first valid delay of retry-after-ms, x-ms-retry-after-ms, Retry-After (seconds, or an HTTP date relative to the
// response's Date, else to wall_ms).  Zero, negative and past values are ignored.
std::optional<std::int64_t> wished_delay_ms(const response& reply, std::int64_t wall_ms);

// Sets retry_after_ms to the delay that the peer requests; a caller with a clock computes retry_at_ms from it.
void note_retry_after(error& failure, const response& response);

}  // namespace gputide::http
