// Hashes as raw bytes, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace gputide::auth {

// Random identifiers for requests and assertions.

// Returns an RFC 4122 UUID version 4, lower case: "5f0c8f5e-6f1a-4f0e-9a57-0d1b2c3d4e5f".
std::string new_uuid();

std::string sha1(std::string_view bytes);  // for certificate thumbprints as Entra uses them; not for trust
std::string sha256(std::string_view bytes);

// Returns base64url of the SHA-256, for cache keys: a caller without the secret never gets the token of a caller with
// it.
std::string secret_digest(std::string_view secret);

}  // namespace gputide::auth
