// Reads certificates with OpenSSL.
#include "doctor/certificates.hpp"

#include "base/freed.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>

namespace gputide::doctor {
namespace {

using x509_pointer = std::unique_ptr<X509, freed<X509_free>>;
using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
using names_pointer = std::unique_ptr<GENERAL_NAMES, freed<GENERAL_NAMES_free>>;

std::string text_of(const ASN1_STRING* from) {
    unsigned char* bytes = nullptr;
    const int size = from != nullptr ? ASN1_STRING_to_UTF8(&bytes, from) : -1;
    if (size < 0) return {};
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    return out;
}

std::string name_of(const X509_NAME* from) {
    const int at = X509_NAME_get_index_by_NID(from, NID_commonName, -1);
    if (at >= 0) return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(from, at)));
    const bio_pointer whole(BIO_new(BIO_s_mem()));
    if (!whole || X509_NAME_print_ex(whole.get(), from, 0, XN_FLAG_ONELINE) < 0) return {};
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(whole.get(), &bytes);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::int64_t unix_ms(const ASN1_TIME* from) {
    std::tm parts{};
    if (from == nullptr || ASN1_TIME_to_tm(from, &parts) != 1) return 0;
    return static_cast<std::int64_t>(timegm(&parts)) * 1'000;
}

std::string address_of(const ASN1_OCTET_STRING* from) {
    if (from->length != 4) return "an IPv6 address";
    std::string out;
    for (int i = 0; i < 4; ++i) out += (i == 0 ? "" : ".") + std::to_string(from->data[i]);
    return out;
}

std::vector<std::string> names_of(const X509* from) {
    std::vector<std::string> out;
    const names_pointer all(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(from, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
        const GENERAL_NAME* one = sk_GENERAL_NAME_value(all.get(), i);
        if (one->type == GEN_DNS) out.push_back(text_of(one->d.dNSName));
        if (one->type == GEN_IPADD) out.push_back(address_of(one->d.iPAddress));
    }
    return out;
}

bool is_for(X509* one, const std::string& host) {
    return X509_check_ip_asc(one, host.c_str(), 0) == 1 || X509_check_host(one, host.c_str(), 0, 0, nullptr) == 1;
}

}  // namespace

std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host) {
    std::vector<certificate> out;
    for (const std::string& text : pem) {
        const bio_pointer bytes(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
        char no_password[] = "";  // without one of ours OpenSSL would ask on /dev/tty
        const x509_pointer read(bytes ? PEM_read_bio_X509(bytes.get(), nullptr, nullptr, no_password) : nullptr);
        if (!read) continue;
        certificate one;
        one.subject = name_of(X509_get_subject_name(read.get()));
        one.issuer = name_of(X509_get_issuer_name(read.get()));
        one.names = names_of(read.get());
        one.not_before_ms = unix_ms(X509_get0_notBefore(read.get()));
        one.not_after_ms = unix_ms(X509_get0_notAfter(read.get()));
        one.self_signed = X509_NAME_cmp(X509_get_subject_name(read.get()), X509_get_issuer_name(read.get())) == 0;
        one.is_for_host = is_for(read.get(), host);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace gputide::doctor
