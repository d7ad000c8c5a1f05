// A client certificate with its private key, as a file holds them: PEM or PKCS#12.
// Comes in: the file's bytes and a password; goes out: key, leaf and chain that fit together.  Never asks on a terminal.
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

// PEM: blocks in any order, PKCS#8 or PKCS#1 key, text and CRLF around them; of several certificates the one whose public
// key is the key's is the leaf, the others are its chain.  Everything else is PKCS#12.  An empty password also stands for
// none.  Errors are class config and say which of certificate, private key, match, RSA and password is wrong, or that the file
// wants its password hashed too often (key_work.hpp).
result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password);

}  // namespace gputide::auth
