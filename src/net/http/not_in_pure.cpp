// The functions of message.hpp that libgputide-pure lacks, because it links neither OpenSSL nor libcurl: client certificates,
// and URLs as libcurl reads them.
#include "base/encode.hpp"
#include "base/freed.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <memory>
#include <string_view>

namespace gputide::http {

namespace {

using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;

bio_pointer reader(std::string_view pem) {
    return bio_pointer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// Returns no password.  Without a callback OpenSSL would prompt on the terminal.
int no_password(char*, int, int, void*) { return -1; }

}  // namespace

result<void> check_client_certificate(const tls_settings& tls) {
    const std::unique_ptr<X509, freed<X509_free>> certificate(
        PEM_read_bio_X509(reader(tls.client_certificate_pem.reveal()).get(), nullptr, no_password, nullptr));
    const std::unique_ptr<EVP_PKEY, freed<EVP_PKEY_free>> key(
        PEM_read_bio_PrivateKey(reader(tls.client_key_pem.reveal()).get(), nullptr, no_password, nullptr));
    const bool fits = !certificate || !key || X509_check_private_key(certificate.get(), key.get()) == 1;
    ERR_clear_error();  // the queue belongs to the host's thread
    if (fits) return {};
    return fail(error_class::config, "the client key does not belong to the client certificate");
}

std::string certificate_for_connections(const tls_settings& tls) {
    std::string out(tls.client_certificate_pem.reveal());
    if (out.empty()) return out;
    const std::string_view key = tls.client_key_pem.reveal();
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(key.data(), key.size(), digest.data(), &size, EVP_sha256(), nullptr);
    out += "\n";
    for (unsigned i = 0; i < size; ++i) append_hex(out, digest[i]);
    return out += "\n";
}

std::optional<url_authority> libcurl_authority(const std::string& url) {
    const url_handle handle = new_url();
    if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK) return std::nullopt;
    return url_authority{part_of(handle, CURLUPART_SCHEME), part_of(handle, CURLUPART_HOST),
                         part_of(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
}

}  // namespace gputide::http
