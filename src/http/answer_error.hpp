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

// An HTTP status that is no answer: `text` with the peer's own words behind it, status and retryable by the code, class
// redirect, unencrypted or http.  The words are left out where any address may be asked: they may be an internal service's, and a
// manifest's author is not its user.
enum class peers_words { shown, left_out };
error status_error(const response& response, std::string text, peers_words words = peers_words::shown);

// What servers of TLS answer to plain text: 400 with words that Go's net/http, nginx and Apache each have for it.  Others only
// close the connection.  Class unencrypted, `text` with what to do behind it; nothing: it is no such answer.
std::optional<error> tls_port_error(const response& response, std::string_view text);

// The peer's own words for a message: the first 200 bytes of a body, without tokens and control characters, of an HTML page its
// title; "" where they are not printable text.
std::string excerpt(std::string_view body);

// A peer that asks to wait: the delay goes into retry_after_ms; who has a clock makes retry_at_ms of it.
void note_retry_after(error& failure, const response& response);

}  // namespace gputide::http
