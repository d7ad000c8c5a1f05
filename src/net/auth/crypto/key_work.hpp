// Limits the cost of opening a key file: the file itself sets how often the password is hashed, up to 2^31 times for
// each item inside, which takes hours.
#pragma once

#include "base/result.hpp"

#include <openssl/pkcs12.h>

#include <cstdint>
#include <string_view>

namespace gputide::auth {

// The total limit for a file: half a second to two on a core.  OpenSSL writes 2,048 per item, Windows 2,000.
inline constexpr std::int64_t most_key_iterations = 2'000'000;

// Each returns nothing, or an error of class config with the file's iteration count.  OpenSSL's error queue is left
// empty.

// Checks encrypted blocks of a PEM text, under any label.
result<void> check_key_work(std::string_view pem);

// Checks the MAC, encrypted parts and keys inside.  The content of an encrypted part needs the password, a
// NUL-terminated text or null for none; with a wrong one the part is not decrypted.
result<void> check_key_work(const PKCS12* file, const char* password);

}  // namespace gputide::auth
