// Random identifiers for requests and assertions.
#pragma once

#include <string>

namespace gputide::auth {

// Returns an RFC 4122 UUID version 4, lower case: "5f0c8f5e-6f1a-4f0e-9a57-0d1b2c3d4e5f".
std::string new_uuid();

}  // namespace gputide::auth
