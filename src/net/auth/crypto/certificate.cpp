// Reads certificates with OpenSSL 3.  Clears its error queue after each failure, because the queue belongs to the host
// program's thread.

#include "auth/crypto/digest.hpp"
#include "auth/crypto/signing_key.hpp"
#include "base/freed.hpp"
#include "base/text.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace gputide::auth {
namespace {

using certificate_pointer = std::unique_ptr<X509, freed<X509_free>>;
using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
using pkcs12_pointer = std::unique_ptr<PKCS12, freed<PKCS12_free>>;

struct parts {
    std::optional<signing_key> key;
    std::vector<certificate_pointer> certificates;
};

error_ptr unusable_certificate(const std::string& why) {
    ERR_clear_error();
    return fail(error_class::config, "client certificate: {}", why);
}

bio_pointer reader(std::string_view bytes) {
    return bio_pointer(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// Returns no password.  Without a callback OpenSSL would prompt on /dev/tty.
int no_password(char*, int, int, void*) { return -1; }

std::vector<certificate_pointer> read_pem_certificates(std::string_view file) {
    std::vector<certificate_pointer> out;
    const bio_pointer from = reader(file);
    while (auto* certificate = PEM_read_bio_X509(from.get(), nullptr, no_password, nullptr)) {
        out.emplace_back(certificate);
    }
    ERR_clear_error();
    return out;
}

result<parts> read_pem(std::string_view file, std::string_view password) {
    parts out;
    out.certificates = read_pem_certificates(file);
    auto key = read_signing_key(file, password);
    if (!key && out.certificates.empty() && file.find("PRIVATE KEY-----") == std::string_view::npos) {
        return unusable_certificate("no certificate and no private key in the PEM file");
    }
    if (!key) return unusable_certificate(key.failure().message);
    out.key = *std::move(key);
    return out;
}

bool opens(PKCS12* file, const char* password) {
    return PKCS12_verify_mac(file, password, password == nullptr ? 0 : -1) == 1;
}

result<parts> read_pkcs12(std::string_view file, const secret_text& password) {
    const pkcs12_pointer content(d2i_PKCS12_bio(reader(file).get(), nullptr));
    if (!content) return unusable_certificate("the file is not a certificate: neither PEM nor PKCS#12");
    std::string text(password.reveal());  // NUL-terminated for OpenSSL
    result<void> affordable = check_key_work(content.get(), text.c_str());
    if (affordable && text.empty()) affordable = check_key_work(content.get(), nullptr);
    if (!affordable) return unusable_certificate(affordable.failure().message);
    const char* given = text.empty() && opens(content.get(), nullptr) ? nullptr : text.c_str();
    EVP_PKEY* key = nullptr;
    X509* leaf = nullptr;
    STACK_OF(X509)* others = nullptr;
    const bool read = PKCS12_parse(content.get(), given, &key, &leaf, &others) == 1;
    wipe(text);
    parts out;
    if (key != nullptr) out.key = signing_key(key);
    if (leaf != nullptr) out.certificates.emplace_back(leaf);
    while (others != nullptr && sk_X509_num(others) > 0) out.certificates.emplace_back(sk_X509_shift(others));
    sk_X509_free(others);
    if (!read) return unusable_certificate("the PKCS#12 file cannot be opened; its password is missing or wrong");
    if (!out.key) return unusable_certificate("no private key in the PKCS#12 file");
    return out;
}

// Puts the leaf first: the certificate with the public key of the private key.
result<void> put_leaf_first(parts& parts) {
    if (parts.certificates.empty()) return unusable_certificate("a private key, but no certificate");
    if (!parts.key->is_rsa()) return unusable_certificate("the key must be RSA; Entra accepts only RSA");
    const auto leaf = std::ranges::find_if(parts.certificates, [&parts](const certificate_pointer& certificate) {
        return X509_check_private_key(certificate.get(), parts.key->get()) == 1;
    });
    if (leaf == parts.certificates.end()) return unusable_certificate("the private key does not match the certificate");
    std::rotate(parts.certificates.begin(), leaf, leaf + 1);
    ERR_clear_error();
    return {};
}

std::string der_of(X509* certificate) {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(certificate, &bytes);
    if (size <= 0) return {};
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));  // NOLINT: bytes as text
    OPENSSL_free(bytes);
    return out;
}

}  // namespace

std::string client_certificate::thumbprint_sha1() const { return sha1(chain_.front()); }
std::string client_certificate::thumbprint_sha256() const { return sha256(chain_.front()); }

result<client_certificate> read_client_certificate(const secret_text& file, const secret_text& password) {
    const std::string_view bytes = file.reveal();
    if (trim(bytes).empty()) return unusable_certificate("the certificate file is empty");
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return unusable_certificate("the certificate file is too large");
    const bool pem = bytes.find("-----BEGIN ") != std::string_view::npos;
    auto read = pem ? read_pem(bytes, password.reveal()) : read_pkcs12(bytes, password);
    if (!read) return read.take_failure();
    if (const auto fits = put_leaf_first(*read); !fits) return fits.failure();
    std::vector<std::string> chain;
    for (const certificate_pointer& certificate : read->certificates) chain.push_back(der_of(certificate.get()));
    return client_certificate(*std::move(read->key), std::move(chain));
}

}  // namespace gputide::auth
