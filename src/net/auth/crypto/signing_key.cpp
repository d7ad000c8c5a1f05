// Implements signing_key.hpp.
#include "auth/crypto/signing_key.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/freed.hpp"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace gputide::auth {

namespace {

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
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> from(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                             &BIO_free_all);
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

using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
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
    const bio_pointer from(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
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

}  // namespace gputide::auth
