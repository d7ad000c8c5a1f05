// An RSA private key and its signatures.  Uses OpenSSL 3; its error queue is cleared after each failure, since it
// belongs to the host program's thread.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <openssl/evp.h>
#include <openssl/pkcs12.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

// Limits the cost of opening a key file: the file itself sets how often the password is hashed, up to 2^31 times per item, which
// takes hours.

// Maximum per file: 0.5 to 2 s on one core.  OpenSSL writes 2,048 per item, Windows 2,000.
inline constexpr std::int64_t max_key_iterations = 2'000'000;

// Each function returns success, or an error of class config with the file's iteration count.  OpenSSL's error queue is empty
// afterwards.

// Checks the encrypted blocks of a PEM text, under any label.
result<void> check_key_work(std::string_view pem);

// Checks MAC, encrypted parts and keys of a file.  To check inside an encrypted part, decrypts it with the password (a
// NUL-terminated text, or null for none); with a wrong password the part is not decrypted.
result<void> check_key_work(const PKCS12* file, const char* password);

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

// A client certificate with its private key from a PEM or PKCS#12 file: matching key, leaf and chain.  Never prompts on a
// terminal.

class client_certificate {
  public:
    client_certificate(signing_key key, std::vector<std::string> chain)
        : key_(std::move(key)), chain_(std::move(chain)) {}

    std::string thumbprint_sha1() const;                              // of the leaf's DER; raw bytes
    std::string thumbprint_sha256() const;                            // of the leaf's DER; raw bytes
    const std::vector<std::string>& chain() const { return chain_; }  // DER, leaf first
    const signing_key& key() const { return key_; }

  private:
    signing_key key_;
    std::vector<std::string> chain_;
};

// Parses a file.  PEM: blocks in any order, PKCS#8 or PKCS#1 key, with text and CRLF around them; the certificate that matches
// the key is the leaf, the others are its chain.  Everything else is parsed as PKCS#12.  An empty password also means none.
// Errors are class config and name the problem: certificate, private key, match, RSA or password, or too many iterations of the
// password hash (signing_key.hpp).
result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password);

}  // namespace gputide::auth
