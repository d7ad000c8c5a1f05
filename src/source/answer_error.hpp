// Failures that every source meets in the same way: no answer at all, or one that tells to wait.
// In: what the transport gave; out: an error in the words of the table in docs (status, class, retryable).
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source {

// Only where got.arrived() is false.
error fault_error(const http::answer& got);

// An HTTP status that is no answer: `text` with the peer's own words behind it, status and retryable by the code, class
// redirect or http.
error refused(const http::response& from, std::string text);

// The peer's own words for a message: the first 200 bytes of a body, without tokens and control characters; "" where they
// are not printable text.
std::string excerpt(std::string_view body);

// A peer that asks to wait: the delay goes into retry_after_ms; fetch makes retry_at_ms of it, since only it has a
// clock.
void note_retry_after(error& into, const http::response& from);

}  // namespace gputide::source
