// How long a file of keys keeps whoever opens it busy: it names itself how often a password is hashed before it is tried, up to
// 2^31 times for each thing inside, which is hours.
#pragma once

#include "base/result.hpp"

#include <openssl/pkcs12.h>

#include <cstdint>
#include <string_view>

namespace gputide::auth {

// All that a file asks for together: half a second to two on a core.  OpenSSL writes 2,048 for each thing, Windows 2,000.
inline constexpr std::int64_t most_key_iterations = 2'000'000;

// Each: nothing, or an error of class config that says what the file asks for.  OpenSSL's error queue is left empty.

// Encrypted blocks of a PEM text, under whatever label.
result<void> check_key_work(std::string_view pem);

// The MAC, encrypted parts and keys inside.  What lies in an encrypted part is seen with the password alone, a NUL-terminated text or
// null for none; with a wrong one it is not worked either.
result<void> check_key_work(const PKCS12* file, const char* password);

}  // namespace gputide::auth
