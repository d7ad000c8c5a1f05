// Who sends a request, and how: what two requests must have in common before one may learn from the other's fate.
#pragma once

#include "http/message.hpp"

#include <cstddef>

namespace gputide::http {

// The same headers, TLS settings and keys to sign with, by value: nobody gets an answer that another one's credential bought.
bool same_credential(const request& a, const request& b);

// And the same time limits: what ends as a failure for one would end so for the other.
bool same_sender(const request& a, const request& b);
std::size_t sender_hash(const request& request);

// And the same question.
bool same_request(const request& a, const request& b);
std::size_t request_hash(const request& request);

}  // namespace gputide::http
