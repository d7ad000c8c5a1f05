// Answers that nobody can read, as errors that say what to do: none at all, one in a foreign coding, one that tells to wait.
// What a body means is its reader's business.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Why there is no body to look at, whatever the status means to the reader: no answer, a coding that nobody undid, more bytes
// than limits::response_bytes.  Class encoding, limit, or the transport's.  Nothing: look at the status, then at the body.
std::optional<error> unreadable(const answer& answer);

// Returns the error for an HTTP status that is not a success: status and retryable by the code, class redirect, unencrypted or http.
error status_error(const response& response, std::string text);

// What servers of TLS answer to plain text: 400 with words that Go's net/http, nginx and Apache each have for it.  Others only
// close the connection.  Class unencrypted, `text` with what to do behind it; nothing: it is no such answer.
std::optional<error> tls_port_error(const response& response, std::string_view text);

// Returns the first 200 bytes of a body, without tokens and control characters, of an HTML page its title; "" where they are not
// printable text.
std::string excerpt(std::string_view body);

// Keeps the excerpt of the body as a field of the error, not in its message.  The author of a manifest chooses the address, and
// messages reach the pages: an internal service's body is for the host alone.
void note_body(error& failure, const response& response);
std::string_view noted_body(const error& failure);  // "": none

// A peer that asks to wait: the delay goes into retry_after_ms; who has a clock makes retry_at_ms of it.
void note_retry_after(error& failure, const response& response);

}  // namespace gputide::http
