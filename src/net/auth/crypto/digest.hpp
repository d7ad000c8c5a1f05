// Hashes as raw bytes, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace gputide::auth {

std::string sha1(std::string_view bytes);  // for certificate thumbprints as Entra uses them; not for trust
std::string sha256(std::string_view bytes);

// Returns base64url of the SHA-256, for cache keys: a caller without the secret never gets the token of a caller with
// it.
std::string secret_digest(std::string_view secret);

}  // namespace gputide::auth
