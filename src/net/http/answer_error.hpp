// Errors for unusable responses: none at all, an unsupported content coding, or a request to wait.
// The reader interprets the body.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

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

// Sets retry_after_ms to the delay that the peer asks for; a caller with a clock computes retry_at_ms.
void note_retry_after(error& failure, const response& response);

}  // namespace gputide::http
