// Hashes as raw bytes, and random identifiers, by OpenSSL; the text of a key.
#pragma once

#include "wire/message.hpp"

#include <string>
#include <string_view>

namespace gputide::auth {

// Returns an RFC 4122 UUID version 4 in lower case for a request or an assertion: "5f0c8f5e-6f1a-4f0e-9a57-0d1b2c3d4e5f".
std::string new_uuid();

std::string sha1(std::string_view bytes);  // for certificate thumbprints as Entra uses them; not for security
std::string sha256(std::string_view bytes);

// Returns base64url of the SHA-256, for cache keys: a caller without the secret never gets the token of a caller that has it.
std::string secret_digest(std::string_view secret);

// Collects everything that a key depends on, secrets included, and wipes it at the end.
class key_text {
  public:
    key_text() = default;
    key_text(const key_text&) = delete;
    key_text& operator=(const key_text&) = delete;
    ~key_text();

    void add(std::string_view part);  // preceded by its length, so that other parts never give the same text
    void add(const http::tls_settings& tls);
    bool empty() const { return text_.empty(); }
    std::string digest() const { return secret_digest(text_); }

  private:
    std::string text_;
};

}  // namespace gputide::auth
