// A client certificate with its private key from a file: PEM or PKCS#12.
// In: the file's bytes and a password; out: matching key, leaf and chain.  Never prompts on a terminal.
#pragma once

#include "auth/crypto/signing_key.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

class client_certificate {
  public:
    struct content;
    explicit client_certificate(std::shared_ptr<const content> inside) : content_(std::move(inside)) {}

    std::string thumbprint_sha1() const;            // of the leaf's DER; raw bytes
    std::string thumbprint_sha256() const;          // the same
    const std::vector<std::string>& chain() const;  // DER, leaf first

    const signing_key& key() const;

  private:
    std::shared_ptr<const content> content_;
};

// PEM: blocks in any order, PKCS#8 or PKCS#1 key, text and CRLF around them; the certificate with the key's public key
// is the leaf, the others are its chain.  Everything else is PKCS#12.  An empty password also means none.  Errors are
// class config and name what is wrong: certificate, private key, match, RSA or password, or too many iterations of the
// password hash (signing_key.hpp).
result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password);

}  // namespace gputide::auth
