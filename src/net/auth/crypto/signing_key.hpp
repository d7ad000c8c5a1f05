// An RSA private key and its signatures.  Uses OpenSSL 3; its error queue is cleared after each failure, since it
// belongs to the host program's thread.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

enum class signing { ps256, rs256 };  // RSASSA-PSS, RSASSA-PKCS1-v1_5, both with SHA-256

class signing_key {
  public:
    explicit signing_key(EVP_PKEY* owned) : key_(owned, &EVP_PKEY_free) {}

    bool is_rsa() const { return EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_RSA; }
    EVP_PKEY* get() const { return key_.get(); }

    // Returns the signature's bytes; fails only if OpenSSL does.
    result<std::string> sign(std::string_view text, signing how) const;

  private:
    std::shared_ptr<EVP_PKEY> key_;
};

// Parses a PKCS#8 or PKCS#1 block, with text and other blocks around it.  Never prompts for a password on a terminal.
// Errors are class config and contain "private key" or "password".
result<signing_key> read_signing_key(std::string_view pem, std::string_view password);

// Returns header.payload.signature, each base64url (RFC 7515).
result<secret_text> signed_jwt(std::string_view header, std::string_view payload, const signing_key& key, signing how);

}  // namespace gputide::auth
