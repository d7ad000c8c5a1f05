// One-shot EVP digests.
#include "auth/crypto/digest.hpp"

#include "base/encode.hpp"

#include <openssl/evp.h>

#include <array>

namespace gputide::auth {
namespace {

std::string digest(std::string_view of, const EVP_MD* how) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_Digest(of.data(), of.size(), bytes.data(), &size, how, nullptr);
    return {reinterpret_cast<const char*>(bytes.data()), size};  // NOLINT: bytes as text
}

}  // namespace

std::string sha1(std::string_view bytes) { return digest(bytes, EVP_sha1()); }
std::string sha256(std::string_view bytes) { return digest(bytes, EVP_sha256()); }
std::string secret_digest(std::string_view secret) { return base64url(sha256(secret)); }

}  // namespace gputide::auth
