// Implements digest.hpp with EVP.
#include "auth/crypto/digest.hpp"

#include "base/encode.hpp"
#include "base/process.hpp"
#include "base/secret.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

namespace gputide::auth {

namespace {

// Fetches a digest once, because each implicit fetch takes locks of OpenSSL that a fork() meanwhile would leave locked in the
// child.  Returns the built-in one if no provider has it, so that the digest itself reports the error.
const EVP_MD* fetched(const char* name, const EVP_MD* otherwise) {
    EVP_MD* const found = EVP_MD_fetch(nullptr, name, nullptr);
    return found == nullptr ? otherwise : found;
}

std::string digest(std::string_view of, const EVP_MD* how) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    ERR_set_mark();  // keeps OpenSSL's errors away from the host
    const bool good = EVP_Digest(of.data(), of.size(), bytes.data(), &size, how, nullptr) == 1;
    ERR_pop_to_mark();
    // An empty digest would equal any other empty digest.  With a provider's method the only failure is lack of memory.
    if (!good && EVP_MD_get0_provider(how) != nullptr) throw std::bad_alloc();
    if (!good) throw std::runtime_error("OpenSSL computes no digest: is its default provider missing?");
    return {reinterpret_cast<const char*>(bytes.data()), size};  // NOLINT: bytes as text
}

const EVP_MD* sha1_method() {
    const no_fork hold;
    static const EVP_MD* const method = fetched("SHA1", EVP_sha1());
    return method;
}

const EVP_MD* sha256_method() {
    const no_fork hold;
    static const EVP_MD* const method = fetched("SHA256", EVP_sha256());
    return method;
}

}  // namespace

std::string sha1(std::string_view bytes) { return digest(bytes, sha1_method()); }
std::string sha256(std::string_view bytes) { return digest(bytes, sha256_method()); }
std::string secret_digest(std::string_view secret) { return base64url(sha256(secret)); }

key_text::~key_text() { wipe(text_); }

void key_text::add(std::string_view part) {
    const std::string length = std::to_string(part.size());
    const std::size_t size = text_.size() + length.size() + part.size() + 2;
    if (size > text_.capacity()) {  // not by append(), which frees the smaller text unwiped
        std::string larger;
        larger.reserve(2 * size);
        larger = text_;
        wipe(text_);
        text_.swap(larger);
    }
    text_.append(length).append(":").append(part).append("\n");
}

void key_text::add(const http::tls_settings& tls) {
    for (const std::string* part :
         {&tls.ca_pem, &tls.ca_file, &tls.server_name, &tls.connect_to, &tls.proxy, &tls.user_agent})
        add(*part);
    add(tls.client_certificate_pem.reveal());
    add(tls.client_key_pem.reveal());
    add(tls.verify ? "" : "unverified");
}

// Version 4 UUIDs from OpenSSL's generator.

std::string new_uuid() {
    std::array<std::uint8_t, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error("OpenSSL has no random numbers");  // a machine in this state cannot do TLS either
    }
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);  // version 4
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);  // variant 1
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 0x0F];
    }
    return out;
}

}  // namespace gputide::auth
