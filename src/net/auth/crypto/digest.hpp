// Hashes as raw bytes, and random identifiers, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace gputide::auth {

// Returns an RFC 4122 UUID version 4 in lower case for a request or an assertion: "5f0c8f5e-6f1a-4f0e-9a57-0d1b2c3d4e5f".
std::string new_uuid();

std::string sha1(std::string_view bytes);  // for certificate thumbprints as Entra uses them; not for security
std::string sha256(std::string_view bytes);

// Returns base64url of the SHA-256, for cache keys: a caller without the secret never gets the token of a caller that has it.
std::string secret_digest(std::string_view secret);

}  // namespace gputide::auth
