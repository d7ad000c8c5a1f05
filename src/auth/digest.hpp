// Hashes as raw bytes, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace gputide::auth {

std::string sha1(std::string_view bytes);  // for the thumbprints that Entra knows certificates by; not for trust
std::string sha256(std::string_view bytes);

}  // namespace gputide::auth
