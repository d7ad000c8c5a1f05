#include "auth/crypto/key_work.hpp"

#include "base/format_text.hpp"
#include "base/freed.hpp"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max();

void free_parts(STACK_OF(PKCS7) * all) { sk_PKCS7_pop_free(all, PKCS7_free); }
void free_bags(STACK_OF(PKCS12_SAFEBAG) * all) { sk_PKCS12_SAFEBAG_pop_free(all, PKCS12_SAFEBAG_free); }
void free_bytes(void* bytes) { OPENSSL_free(bytes); }

using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
using signature_pointer = std::unique_ptr<X509_SIG, freed<X509_SIG_free>>;
using parts_pointer = std::unique_ptr<STACK_OF(PKCS7), freed<free_parts>>;
using bags_pointer = std::unique_ptr<STACK_OF(PKCS12_SAFEBAG), freed<free_bags>>;

// Returns an algorithm's parameters as an OpenSSL structure; null: of another kind.
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

// Multiplies numbers of at least 0, limited to `beyond`.
std::int64_t product(std::int64_t a, std::int64_t b) { return a != 0 && b > beyond / a ? beyond : a * b; }
std::int64_t sum(std::int64_t a, std::int64_t b) { return b > beyond - a ? beyond : a + b; }

// Returns the iteration count.  RFC 8018: PBES1 and PKCS#12 name the count, PBES2 the function that has it; RFC 7914:
// scrypt's work is N r p.  0 if it is unknown.
std::int64_t iterations_of(const X509_ALGOR* by) {
    switch (kind_of(by)) {
        case NID_pbes2:
        case NID_pbmac1: {  // two algorithms as well, the password's function first
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
    if (iterations <= most_key_iterations) return {};
    const std::string asked = iterations == beyond ? "more than can be counted" : format_text("{}", iterations);
    return fail(error_class::config,
                "the file asks that its password be hashed {} times before it is tried; at most {} times are "
                "allowed: write it again with fewer iterations",
                asked, most_key_iterations);
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
    for (int i = 0; all <= most_key_iterations && i < sk_PKCS7_num(parts.get()); ++i) {
        PKCS7* part = sk_PKCS7_value(parts.get(), i);
        bags_pointer bags;
        if (PKCS7_type_is_data(part)) bags.reset(PKCS12_unpack_p7data(part));
        if (PKCS7_type_is_encrypted(part) && part->d.encrypted != nullptr) {
            all = sum(all, iterations_of(part->d.encrypted->enc_data->algorithm));
            if (all > most_key_iterations) break;  // looking inside would cost too much
            bags.reset(PKCS12_unpack_p7encdata(part, password, password == nullptr ? 0 : -1));
        }
        all = sum(all, iterations_of(bags.get()));
    }
    return judge(all);
}

}  // namespace gputide::auth
