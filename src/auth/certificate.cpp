// Reading, matching and signing for certificate.hpp, with OpenSSL 3.  Its error queue is emptied after each failure: it
// belongs to the host program's thread.
#include "auth/certificate.hpp"

#include "auth/digest.hpp"
#include "auth/failure.hpp"
#include "base/text.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace gputide::auth {
namespace {

template <auto free_it>
struct freed {
    template <class T>
    void operator()(T* what) const {
        free_it(what);
    }
};
using key_pointer = std::unique_ptr<EVP_PKEY, freed<EVP_PKEY_free>>;
using certificate_pointer = std::unique_ptr<X509, freed<X509_free>>;
using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
using pkcs12_pointer = std::unique_ptr<PKCS12, freed<PKCS12_free>>;
using digest_pointer = std::unique_ptr<EVP_MD_CTX, freed<EVP_MD_CTX_free>>;

struct parts {
    key_pointer key;
    std::vector<certificate_pointer> certificates;
};

error wrong(const std::string& why) {
    ERR_clear_error();
    return failed(failure::config, "client certificate: " + why);
}

bio_pointer reader(std::string_view bytes) {
    return bio_pointer(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// Hands OpenSSL the password, and remembers that it was asked for.  Without a callback of ours it would ask on /dev/tty.
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

result<key_pointer> read_pem_key(std::string_view file, std::string_view password) {
    password_answer answer{password, false};
    key_pointer key(PEM_read_bio_PrivateKey(reader(file).get(), nullptr, give_password, &answer));
    if (key) return key;
    if (answer.asked) return wrong("the key is encrypted, and the password is missing or wrong");
    return wrong("no private key that can be read; expected a PKCS#8 or PKCS#1 block beside the certificate");
}

std::vector<certificate_pointer> read_pem_certificates(std::string_view file) {
    std::vector<certificate_pointer> out;
    const bio_pointer from = reader(file);
    password_answer none;
    while (auto* one = PEM_read_bio_X509(from.get(), nullptr, give_password, &none)) out.emplace_back(one);
    ERR_clear_error();
    return out;
}

result<parts> read_pem(std::string_view file, std::string_view password) {
    parts out;
    out.certificates = read_pem_certificates(file);
    auto key = read_pem_key(file, password);
    if (!key && out.certificates.empty() && file.find("PRIVATE KEY-----") == std::string_view::npos) {
        return wrong("no certificate and no private key in the PEM file");
    }
    if (!key) return std::move(key).failure();
    out.key = *std::move(key);
    return out;
}

bool opens(PKCS12* file, const char* password) {
    return PKCS12_verify_mac(file, password, password == nullptr ? 0 : -1) == 1;
}

result<parts> read_pkcs12(std::string_view file, const secret_text& password) {
    const pkcs12_pointer content(d2i_PKCS12_bio(reader(file).get(), nullptr));
    if (!content) return wrong("the file is no certificate: neither PEM nor PKCS#12");
    std::string text(password.reveal());  // with the NUL that OpenSSL looks for
    const char* given = text.empty() && opens(content.get(), nullptr) ? nullptr : text.c_str();
    EVP_PKEY* key = nullptr;
    X509* leaf = nullptr;
    STACK_OF(X509)* others = nullptr;
    const bool read = PKCS12_parse(content.get(), given, &key, &leaf, &others) == 1;
    wipe(text);
    parts out;
    out.key.reset(key);
    if (leaf != nullptr) out.certificates.emplace_back(leaf);
    while (others != nullptr && sk_X509_num(others) > 0) out.certificates.emplace_back(sk_X509_shift(others));
    sk_X509_free(others);
    if (!read) return wrong("the PKCS#12 file does not open; its password is missing or wrong");
    if (!out.key) return wrong("no private key in the PKCS#12 file");
    return out;
}

// The leaf first: the one whose public key is the key's.
result<void> put_leaf_first(parts& of) {
    if (of.certificates.empty()) return wrong("no certificate beside the private key");
    if (EVP_PKEY_get_base_id(of.key.get()) != EVP_PKEY_RSA) return wrong("the key must be RSA; Entra takes no other");
    const auto leaf = std::find_if(
        of.certificates.begin(), of.certificates.end(),
        [&of](const certificate_pointer& one) { return X509_check_private_key(one.get(), of.key.get()) == 1; });
    if (leaf == of.certificates.end()) return wrong("the private key does not match the certificate");
    std::rotate(of.certificates.begin(), leaf, leaf + 1);
    ERR_clear_error();
    return {};
}

std::string der_of(X509* one) {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(one, &bytes);
    if (size <= 0) return {};
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));  // NOLINT: bytes as text
    OPENSSL_free(bytes);
    return out;
}

// PSS as RFC 7518 asks: the salt as long as the digest, MGF1 with the same digest.
bool set_padding(EVP_PKEY_CTX* of, signing how) {
    if (how == signing::rs256) return EVP_PKEY_CTX_set_rsa_padding(of, RSA_PKCS1_PADDING) > 0;
    return EVP_PKEY_CTX_set_rsa_padding(of, RSA_PKCS1_PSS_PADDING) > 0 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(of, RSA_PSS_SALTLEN_DIGEST) > 0 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md(of, EVP_sha256()) > 0;
}

}  // namespace

struct client_certificate::content {
    key_pointer key;
    std::vector<std::string> chain;
};

std::string client_certificate::thumbprint_sha1() const { return sha1(content_->chain.front()); }
std::string client_certificate::thumbprint_sha256() const { return sha256(content_->chain.front()); }
const std::vector<std::string>& client_certificate::chain() const { return content_->chain; }

result<std::string> client_certificate::sign(std::string_view text, signing how) const {
    const digest_pointer context(EVP_MD_CTX_new());
    EVP_PKEY_CTX* key_context = nullptr;  // owned by context
    std::size_t size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: text as bytes
    const bool ready =
        context && EVP_DigestSignInit(context.get(), &key_context, EVP_sha256(), nullptr, content_->key.get()) == 1 &&
        set_padding(key_context, how) && EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
    std::string out(size, '\0');
    auto* signature = reinterpret_cast<unsigned char*>(out.data());  // NOLINT: as above
    if (!ready || EVP_DigestSign(context.get(), signature, &size, bytes, text.size()) != 1) {
        return wrong("the private key cannot sign; is it shorter than 2048 bits?");
    }
    out.resize(size);
    return out;
}

result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password) {
    const std::string_view bytes = file.reveal();
    if (trim(bytes).empty()) return wrong("the certificate file is empty");
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return wrong("the certificate file is too large");
    const bool pem = bytes.find("-----BEGIN ") != std::string_view::npos;
    auto read = pem ? read_pem(bytes, password.reveal()) : read_pkcs12(bytes, password);
    if (!read) return std::move(read).failure();
    if (const auto fits = put_leaf_first(*read); !fits) return fits.failure();
    auto out = std::make_shared<client_certificate::content>();
    out->key = std::move(read->key);
    for (const certificate_pointer& one : read->certificates) out->chain.push_back(der_of(one.get()));
    return client_certificate(std::move(out));
}

}  // namespace gputide::auth
