// Parses keys and signs for signing_key.hpp.
#include "auth/crypto/signing_key.hpp"

#include "auth/crypto/key_work.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstring>
#include <limits>

namespace gputide::auth {
namespace {

error_ptr unusable_key(const std::string& why) {
    ERR_clear_error();
    return fail(error_class::config, why);
}

// Passes the password to OpenSSL, and records that it was requested.  Without our callback OpenSSL would prompt on
// /dev/tty.
struct password_answer {
    std::string_view password;
    bool asked = false;
};

int give_password(char* buffer, int size, int, void* user) {
    auto* answer = static_cast<password_answer*>(user);
    answer->asked = true;
    const std::size_t length = answer->password.size();
    if (length == 0 || length > static_cast<std::size_t>(size)) return -1;
    std::memcpy(buffer, answer->password.data(), length);
    return static_cast<int>(length);
}

// PSS as in RFC 7518: the salt as long as the digest, MGF1 with the same digest.
bool set_padding(EVP_PKEY_CTX* context, signing how) {
    if (how == signing::rs256) return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0;
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) > 0;
}

}  // namespace

result<std::string> signing_key::sign(std::string_view text, signing how) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    EVP_PKEY_CTX* key_context = nullptr;  // owned by context
    std::size_t size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: text as bytes
    const bool ready =
        context && EVP_DigestSignInit(context.get(), &key_context, EVP_sha256(), nullptr, key_.get()) == 1 &&
        set_padding(key_context, how) && EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
    std::string out(size, '\0');
    auto* signature = reinterpret_cast<unsigned char*>(out.data());  // NOLINT: as above
    if (!ready || EVP_DigestSign(context.get(), signature, &size, bytes, text.size()) != 1) {
        return unusable_key("the private key cannot sign; is it shorter than 2048 bits?");
    }
    out.resize(size);
    return out;
}

result<signing_key> read_signing_key(std::string_view pem, std::string_view password) {
    if (pem.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return unusable_key("the private key is too large");
    if (!password.empty()) {  // without a password none is tried
        if (const auto affordable = check_key_work(pem); !affordable) return affordable.failure();
    }
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> from(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                             &BIO_free_all);
    password_answer answer{password, false};
    EVP_PKEY* key = PEM_read_bio_PrivateKey(from.get(), nullptr, give_password, &answer);
    if (key != nullptr) return signing_key(key);
    if (answer.asked) return unusable_key("the key is encrypted, and the password is missing or wrong");
    return unusable_key("no private key that can be read; expected a PKCS#8 or PKCS#1 block");
}

result<secret_text> signed_jwt(std::string_view header, std::string_view payload, const signing_key& key, signing how) {
    const std::string input = format_text("{}.{}", base64url(header), base64url(payload));
    const auto signature = key.sign(input, how);
    if (!signature) return signature.failure();
    return secret_text(format_text("{}.{}", input, base64url(*signature)));
}

}  // namespace gputide::auth
