// A client certificate with its private key from a PEM or PKCS#12 file: matching key, leaf and chain.  Never prompts on a
// terminal.
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
    std::string thumbprint_sha256() const;          // of the leaf's DER; raw bytes
    const std::vector<std::string>& chain() const;  // DER, leaf first

    const signing_key& key() const;

  private:
    std::shared_ptr<const content> content_;
};

// Parses a file.  PEM: blocks in any order, PKCS#8 or PKCS#1 key, with text and CRLF around them; the certificate that matches
// the key is the leaf, the others are its chain.  Everything else is parsed as PKCS#12.  An empty password also means none.
// Errors are class config and name the problem: certificate, private key, match, RSA or password, or too many iterations of the
// password hash (signing_key.hpp).
result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password);

}  // namespace gputide::auth
