// Hashes as raw bytes, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace gputide::auth {

std::string sha1(std::string_view bytes);  // for the thumbprints that Entra knows certificates by; not for trust
std::string sha256(std::string_view bytes);

// For cache keys: who does not have the secret gets no token of one who has.  Base64url of its SHA-256.
std::string secret_digest(std::string_view secret);

}  // namespace gputide::auth
