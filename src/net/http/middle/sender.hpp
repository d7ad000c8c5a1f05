// The identity of a request's sender: what two requests must have in common to share results.
#pragma once

#include "http/message.hpp"

#include <cstddef>

namespace gputide::http {

// Compares headers, TLS settings and signing keys by value, so that a response obtained with one credential is never given to
// another.
bool same_credential(const request& a, const request& b);

// Compares also the time limits: equal requests would fail alike.
bool same_sender(const request& a, const request& b);
std::size_t sender_hash(const request& request);

// Compares also the request itself.
bool same_request(const request& a, const request& b);
std::size_t request_hash(const request& request);

}  // namespace gputide::http
