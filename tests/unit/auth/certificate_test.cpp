// Certificates in every spelling that a file may have, and what is said about each that cannot be used.
#include "auth/azure/credentials.hpp"
#include "auth/crypto/signing_key.hpp"
#include "base/encode.hpp"
#include "fake_surroundings.hpp"
#include "support/folder.hpp"
#include "support/pem_vectors.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>

#include <fstream>
#include <limits>

namespace gputide::auth {
namespace {

using nlohmann::json;

const json& vectors() {
    static const json all =
        json::parse(std::ifstream(testing::file_path("cases/azure-token.json"))).at("jwt_assertions");
    return all;
}

std::string pem(const std::string& expression) { return gputide::testing::pem_of(vectors(), expression); }

result<client_certificate> read_pem(const std::string& file, const std::string& password = {}) {
    return read_client_certificate(secret_text(file), secret_text(password));
}

void expect_refused(const result<client_certificate>& got, std::string_view word) {
    ASSERT_FALSE(got) << word;
    EXPECT_EQ(got.failure().error_class, error_class::config);
    EXPECT_NE(got.failure().message.find(word), std::string::npos) << got.failure().message;
    EXPECT_EQ(ERR_peek_error(), 0u) << "the host's error queue is left as it was";
}

TEST(Certificate, Pkcs12WithItsPassword) {
    const std::string file = *decode_base64(vectors().at("pkcs12_base64").get<std::string>());
    const auto got = read_pem(file, vectors().at("pkcs12_password"));
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(base64url(got->thumbprint_sha256()), vectors().at("sha256_base64url"));
    expect_refused(read_pem(file), "password");
    expect_refused(read_pem(file, "wrong"), "password");
    expect_refused(read_pem(file.substr(0, file.size() / 2), "test"), "certificate");
}

TEST(Certificate, TheLeafIsTheOneThatFitsWhereverItStands) {
    const auto got = read_pem(pem("ec_certificate_pem + private_key_pkcs8_pem + certificate_pem"));
    ASSERT_TRUE(got) << got.failure().message;
    ASSERT_EQ(got->chain().size(), 2u);
    EXPECT_EQ(base64(got->chain().front()), vectors().at("certificate_der_base64"));
    EXPECT_NE(assertion_header(*got, signing::rs256, true).find("\"x5c\":[\"" + base64(got->chain()[0]) + "\",\""),
              std::string::npos);
}

TEST(Certificate, WhatIsWrongIsNamed) {
    expect_refused(read_pem(""), "certificate");
    expect_refused(read_pem(" \n"), "certificate");
    expect_refused(read_pem("no PEM and no PKCS#12"), "certificate");
    expect_refused(read_pem("-----BEGIN NOTHING-----\nAAAA\n-----END NOTHING-----\n"), "certificate");
    expect_refused(read_pem(pem("certificate_pem")), "private key");
    expect_refused(read_pem(pem("private_key_pkcs8_pem")), "certificate");
    expect_refused(read_pem(pem("other_rsa_private_key_pem + certificate_pem")), "match");
    expect_refused(read_pem(pem("ec_private_key_pem + ec_certificate_pem")), "RSA");
    expect_refused(read_pem(pem("encrypted_private_key_pem + certificate_pem")), "password");
    expect_refused(read_pem(pem("encrypted_private_key_pem + certificate_pem"), "wrong"), "password");
}

// The iteration count of the password hash stands in the file: three bytes that are told apart from all others.
constexpr int few[] = {0x12345, 0x12346, 0x12347};

std::string spelled(int iterations) {
    const char bytes[] = {'\x02', '\x03', static_cast<char>(iterations >> 16), static_cast<char>(iterations >> 8),
                          static_cast<char>(iterations)};
    return {bytes, sizeof bytes};
}

std::string der_of(PKCS12* file) {
    unsigned char* bytes = nullptr;
    const int size = i2d_PKCS12(file, &bytes);
    std::string out(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    PKCS12_free(file);
    return out;
}

// A key and a certificate each under a password of their own count, and a MAC of a third.
std::string three_counts(const client_certificate& from) {
    const auto* der = reinterpret_cast<const unsigned char*>(from.chain()[0].data());
    X509* leaf = d2i_X509(nullptr, &der, static_cast<long>(from.chain()[0].size()));
    STACK_OF(PKCS12_SAFEBAG)* bags = nullptr;
    STACK_OF(PKCS7)* parts = nullptr;
    PKCS12_add_cert(&bags, leaf);
    PKCS12_add_safe(&parts, bags, NID_aes_256_cbc, few[0], "test");
    sk_PKCS12_SAFEBAG_pop_free(std::exchange(bags, nullptr), PKCS12_SAFEBAG_free);
    PKCS12_add_key(&bags, from.key().get(), 0, few[1], NID_aes_256_cbc, "test");
    PKCS12_add_safe(&parts, bags, -1, 0, nullptr);
    PKCS12* file = PKCS12_add_safes(parts, 0);
    PKCS12_set_mac(file, "test", -1, nullptr, 0, few[2], EVP_sha256());
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    sk_PKCS7_pop_free(parts, PKCS7_free);
    X509_free(leaf);
    return der_of(file);
}

TEST(Certificate, AFileMayNotKeepItsReaderBusy) {
    const auto whole = read_pem(*decode_base64(vectors().at("pkcs12_base64").get<std::string>()), "test");
    ASSERT_TRUE(whole);
    const std::string file = three_counts(*whole);
    const auto opened = read_pem(file, "test");
    ASSERT_TRUE(opened) << opened.failure().message;
    for (const int value : few) {
        std::string slow = file;
        const std::size_t at = slow.find(spelled(value));
        ASSERT_NE(at, std::string::npos);
        expect_refused(read_pem(slow.replace(at, 5, spelled(0x7FFFFF)), "test"), "hash iterations");
    }
}

// Seen once the part around it is decrypted, by the password alone.
TEST(Certificate, AFileMayNotHideWhatItAsksFor) {
    const auto whole = read_pem(*decode_base64(vectors().at("pkcs12_base64").get<std::string>()), "test");
    ASSERT_TRUE(whole);
    for (const char* password : {"test", static_cast<const char*>(nullptr)}) {
        STACK_OF(PKCS12_SAFEBAG)* bags = nullptr;
        STACK_OF(PKCS7)* parts = nullptr;
        PKCS12_add_key(&bags, whole->key().get(), 0, 2'000'001, NID_aes_256_cbc, password);
        PKCS12_add_safe(&parts, bags, NID_aes_256_cbc, 1, password);
        PKCS12* file = PKCS12_add_safes(parts, 0);  // without a MAC, as any password then passes
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
        sk_PKCS7_pop_free(parts, PKCS7_free);
        expect_refused(read_pem(der_of(file), password == nullptr ? "" : password), "hash iterations");
    }
}

TEST(Certificate, AnEncryptedKeyMayNotKeepItsReaderBusy) {
    const auto whole = read_pem(*decode_base64(vectors().at("pkcs12_base64").get<std::string>()), "test");
    ASSERT_TRUE(whole);
    PKCS8_PRIV_KEY_INFO* plain = EVP_PKEY2PKCS8(whole->key().get());
    X509_SIG* key = PKCS8_encrypt(-1, EVP_aes_256_cbc(), "test", 4, nullptr, 0, few[0], plain);
    unsigned char* bytes = nullptr;
    const int size = i2d_X509_SIG(key, &bytes);
    std::string der(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    X509_SIG_free(key);
    PKCS8_PRIV_KEY_INFO_free(plain);
    const auto text_of = [](const std::string& from) {
        return "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + base64(from) + "\n-----END ENCRYPTED PRIVATE KEY-----\n";
    };
    EXPECT_TRUE(read_signing_key(text_of(der), "test"));
    der.replace(der.find(spelled(few[0])), 5, spelled(0x7FFFFF));
    const auto refused = read_signing_key(text_of(der), "test");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.failure().message.find("8388607 hash iterations"), std::string::npos)
        << refused.failure().message;
    EXPECT_FALSE(read_signing_key("-----BEGIN X-----\n!\n" + text_of(der), "test"));
}

TEST(Certificate, TheCredentialSignsForItsEndpoint) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    test::fake_surroundings host;
    host.variables = {
        {"AZURE_TENANT_ID", "adfs"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_CLIENT_CERTIFICATE_PATH", "/cert.pem"}};
    host_permissions permissions;
    permissions.allow_custom_authority = true;
    client_certificate_settings settings;
    settings.authority_host = "https://adfs.example";
    EXPECT_TRUE(open_client_certificate(settings, permissions, host).failure().retryable) << "the mount may come later";
    host.files["/cert.pem"] = pem("private_key_pkcs1_pem + certificate_pem");
    const auto from = open_client_certificate(settings, permissions, host);
    ASSERT_TRUE(from) << from.failure().message;

    loop->answer_next(gputide::testing::scripted(200, R"({"access_token":"T","expires_in":3599})"));
    std::optional<result<token>> got;
    (*from)->acquire(*loop, "https://r/.default", std::numeric_limits<std::int64_t>::max(),
                     [&got](result<token> what) { got = std::move(what); });
    loop->run_until_idle();
    ASSERT_TRUE(got && *got);
    const auto sent = loop->requests().at(0).what;
    EXPECT_EQ(sent.url, "https://adfs.example/adfs/oauth2/token");
    const std::string body(sent.body.reveal());
    const std::string jwt = body.substr(body.rfind("client_assertion=") + 17);
    const json header = json::parse(*decode_base64url(jwt.substr(0, jwt.find('.'))));
    EXPECT_EQ(header.at("alg"), "RS256") << "AD FS takes no other";
    const std::string rest = jwt.substr(jwt.find('.') + 1);
    const json claims = json::parse(*decode_base64url(rest.substr(0, rest.find('.'))));
    EXPECT_EQ(claims.at("aud"), sent.url);
    EXPECT_EQ(claims.at("exp").get<std::int64_t>() - claims.at("nbf").get<std::int64_t>(), 600);
    EXPECT_NE(body.find("scope=https%3A%2F%2Fr&"), std::string::npos);
}

}  // namespace
}  // namespace gputide::auth
