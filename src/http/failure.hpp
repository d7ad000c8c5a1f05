// A transport fault as an error that a person can act on: which URL, what happened, what to do.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <string_view>

namespace gputide::http {

// Only where got.arrived() is false.  The URL is quoted without user information and secret query values.
error to_error(const answer& got, std::string_view url);

}  // namespace gputide::http
