// Implements signing_key.hpp with OpenSSL 3.  Clears its error queue after each failure, because the queue belongs to the host
// program's thread.
#include "auth/crypto/signing_key.hpp"

#include "auth/crypto/digest.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/freed.hpp"
#include "base/text.hpp"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace gputide::auth {

namespace {

using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;

bio_pointer reader(std::string_view bytes) {
    return bio_pointer(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

error_ptr unusable_key(const std::string& why) {
    ERR_clear_error();
    return fail(error_class::config, why);
}

// Gives OpenSSL the password and records that it was requested.  Without a callback OpenSSL would prompt on /dev/tty.
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

// Sets the padding: PSS as in RFC 7518, with a salt as long as the digest and MGF1 with the same digest.
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
    const bio_pointer from = reader(pem);
    password_answer answer{password, false};
    EVP_PKEY* key = PEM_read_bio_PrivateKey(from.get(), nullptr, give_password, &answer);
    if (key != nullptr) return signing_key(key);
    if (answer.asked) return unusable_key("the key is encrypted, and the password is missing or wrong");
    return unusable_key("no readable private key; expected a PKCS#8 or PKCS#1 block");
}

result<secret_text> signed_jwt(std::string_view header, std::string_view payload, const signing_key& key, signing how) {
    const std::string input = format_text("{}.{}", base64url(header), base64url(payload));
    const auto signature = key.sign(input, how);
    if (!signature) return signature.failure();
    return secret_text(format_text("{}.{}", input, base64url(*signature)));
}

namespace {

constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max();

void free_parts(STACK_OF(PKCS7) * all) { sk_PKCS7_pop_free(all, PKCS7_free); }
void free_bags(STACK_OF(PKCS12_SAFEBAG) * all) { sk_PKCS12_SAFEBAG_pop_free(all, PKCS12_SAFEBAG_free); }
void free_bytes(void* bytes) { OPENSSL_free(bytes); }

using signature_pointer = std::unique_ptr<X509_SIG, freed<X509_SIG_free>>;
using parts_pointer = std::unique_ptr<STACK_OF(PKCS7), freed<free_parts>>;
using bags_pointer = std::unique_ptr<STACK_OF(PKCS12_SAFEBAG), freed<free_bags>>;

// Returns an algorithm's parameters as an OpenSSL structure, or null if they are of another type.
template <class Parameters, Parameters* (*read)(Parameters**, const unsigned char**, long), auto free_it>
std::unique_ptr<Parameters, freed<free_it>> parameters_of(const X509_ALGOR* by) {
    int type = V_ASN1_UNDEF;
    const void* value = nullptr;
    X509_ALGOR_get0(nullptr, &type, &value, by);
    if (type != V_ASN1_SEQUENCE) return nullptr;
    const auto* text = static_cast<const ASN1_STRING*>(value);
    const unsigned char* bytes = ASN1_STRING_get0_data(text);
    return std::unique_ptr<Parameters, freed<free_it>>(read(nullptr, &bytes, ASN1_STRING_length(text)));
}

int kind_of(const X509_ALGOR* by) {
    const ASN1_OBJECT* kind = nullptr;
    X509_ALGOR_get0(&kind, nullptr, nullptr, by);
    return OBJ_obj2nid(kind);
}

std::int64_t number_of(const ASN1_INTEGER* written) {
    std::int64_t out = 0;
    return ASN1_INTEGER_get_int64(&out, written) == 1 && out >= 0 ? out : beyond;
}

// Multiplies non-negative numbers; the result is at most `beyond`.
std::int64_t product(std::int64_t a, std::int64_t b) { return a != 0 && b > beyond / a ? beyond : a * b; }
std::int64_t sum(std::int64_t a, std::int64_t b) { return b > beyond - a ? beyond : a + b; }

// Returns the iteration count, or 0 if unknown.  RFC 8018: PBES1 and PKCS#12 contain the count, PBES2 the function with the
// count; RFC 7914: scrypt's work is N r p.
std::int64_t iterations_of(const X509_ALGOR* by) {
    switch (kind_of(by)) {
        case NID_pbes2:
        case NID_pbmac1: {  // also two algorithms, the password's function first
            const auto both = parameters_of<PBE2PARAM, d2i_PBE2PARAM, PBE2PARAM_free>(by);
            return both && kind_of(both->keyfunc) != NID_pbes2 ? iterations_of(both->keyfunc) : 0;
        }
        case NID_id_pbkdf2: {
            const auto how = parameters_of<PBKDF2PARAM, d2i_PBKDF2PARAM, PBKDF2PARAM_free>(by);
            return how ? number_of(how->iter) : 0;
        }
        case NID_id_scrypt: {
            const auto how = parameters_of<SCRYPT_PARAMS, d2i_SCRYPT_PARAMS, SCRYPT_PARAMS_free>(by);
            if (!how) return 0;
            return product(product(number_of(how->costParameter), number_of(how->blockSize)),
                           number_of(how->parallelizationParameter));
        }
        default: {
            const auto how = parameters_of<PBEPARAM, d2i_PBEPARAM, PBEPARAM_free>(by);
            return how ? number_of(how->iter) : 0;
        }
    }
}

std::int64_t iterations_of(const X509_SIG* key) {
    const X509_ALGOR* by = nullptr;
    X509_SIG_get0(key, &by, nullptr);
    return iterations_of(by);
}

std::int64_t iterations_of(const STACK_OF(PKCS12_SAFEBAG) * bags) {
    std::int64_t out = 0;
    for (int i = 0; i < sk_PKCS12_SAFEBAG_num(bags); ++i) {
        const PKCS12_SAFEBAG* bag = sk_PKCS12_SAFEBAG_value(bags, i);
        const int kind = PKCS12_SAFEBAG_get_nid(bag);
        if (kind == NID_pkcs8ShroudedKeyBag) out = sum(out, iterations_of(PKCS12_SAFEBAG_get0_pkcs8(bag)));
        if (kind == NID_safeContentsBag) out = sum(out, iterations_of(PKCS12_SAFEBAG_get0_safes(bag)));
    }
    return out;
}

std::int64_t iterations_of_mac(const PKCS12* file) {
    const ASN1_INTEGER* count = nullptr;
    const X509_ALGOR* by = nullptr;
    PKCS12_get0_mac(nullptr, &by, nullptr, &count, file);
    return sum(count != nullptr ? number_of(count) : 0, by != nullptr ? iterations_of(by) : 0);
}

result<void> judge(std::int64_t iterations) {
    ERR_clear_error();
    if (iterations <= max_key_iterations) return {};
    const std::string asked = iterations == beyond ? "more than can be counted" : format_text("{}", iterations);
    return fail(error_class::config,
                "the file requires {} hash iterations for its password; at most {} are allowed: create it again with "
                "fewer iterations",
                asked, max_key_iterations);
}

}  // namespace

result<void> check_key_work(std::string_view pem) {
    const bio_pointer from = reader(pem);
    std::int64_t all = 0;
    std::size_t left = BIO_ctrl_pending(from.get());
    for (std::size_t before = left + 1; left > 0 && left < before;) {
        char* label = nullptr;
        char* head = nullptr;
        unsigned char* bytes = nullptr;
        long size = 0;
        if (PEM_read_bio(from.get(), &label, &head, &bytes, &size) == 1) {
            const unsigned char* at = bytes;
            const signature_pointer key(d2i_X509_SIG(nullptr, &at, size));
            if (key) all = sum(all, iterations_of(key.get()));
        }
        free_bytes(label);
        free_bytes(head);
        free_bytes(bytes);
        before = std::exchange(left, BIO_ctrl_pending(from.get()));
    }
    return judge(all);
}

result<void> check_key_work(const PKCS12* file, const char* password) {
    std::int64_t all = iterations_of_mac(file);
    const parts_pointer parts(PKCS12_unpack_authsafes(file));
    for (int i = 0; all <= max_key_iterations && i < sk_PKCS7_num(parts.get()); ++i) {
        PKCS7* part = sk_PKCS7_value(parts.get(), i);
        bags_pointer bags;
        if (PKCS7_type_is_data(part)) bags.reset(PKCS12_unpack_p7data(part));
        if (PKCS7_type_is_encrypted(part) && part->d.encrypted != nullptr) {
            all = sum(all, iterations_of(part->d.encrypted->enc_data->algorithm));
            if (all > max_key_iterations) break;  // decrypting more would cost too much
            bags.reset(PKCS12_unpack_p7encdata(part, password, password == nullptr ? 0 : -1));
        }
        all = sum(all, iterations_of(bags.get()));
    }
    return judge(all);
}

// Certificates.

namespace {

using certificate_pointer = std::unique_ptr<X509, freed<X509_free>>;
using pkcs12_pointer = std::unique_ptr<PKCS12, freed<PKCS12_free>>;

struct parts {
    std::optional<signing_key> key;
    std::vector<certificate_pointer> certificates;
};

error_ptr unusable_certificate(const std::string& why) {
    ERR_clear_error();
    return fail(error_class::config, "client certificate: {}", why);
}

std::vector<certificate_pointer> read_pem_certificates(std::string_view file) {
    std::vector<certificate_pointer> out;
    const bio_pointer from = reader(file);
    password_answer none;
    while (auto* certificate = PEM_read_bio_X509(from.get(), nullptr, give_password, &none)) {
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
