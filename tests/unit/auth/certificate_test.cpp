// Certificates in every spelling that a file may have, and what is said about each that cannot be used.
#include "auth/crypto/certificate.hpp"

#include "auth/azure/client_assertion.hpp"
#include "auth/azure/client_certificate.hpp"
#include "base/encode.hpp"
#include "fake_surroundings.hpp"
#include "support/folder.hpp"
#include "support/pem_vectors.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

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

result<client_certificate> read(const std::string& file, const std::string& password = {}) {
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
    const auto got = read(file, vectors().at("pkcs12_password"));
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(base64url(got->thumbprint_sha256()), vectors().at("sha256_base64url"));
    expect_refused(read(file), "password");
    expect_refused(read(file, "wrong"), "password");
    expect_refused(read(file.substr(0, file.size() / 2), "test"), "certificate");
}

TEST(Certificate, TheLeafIsTheOneThatFitsWhereverItStands) {
    const auto got = read(pem("ec_certificate_pem + private_key_pkcs8_pem + certificate_pem"));
    ASSERT_TRUE(got) << got.failure().message;
    ASSERT_EQ(got->chain().size(), 2u);
    EXPECT_EQ(base64(got->chain().front()), vectors().at("certificate_der_base64"));
    EXPECT_NE(assertion_header(*got, signing::rs256, true).find("\"x5c\":[\"" + base64(got->chain()[0]) + "\",\""),
              std::string::npos);
}

TEST(Certificate, WhatIsWrongIsNamed) {
    expect_refused(read(""), "certificate");
    expect_refused(read(" \n"), "certificate");
    expect_refused(read("no PEM and no PKCS#12"), "certificate");
    expect_refused(read("-----BEGIN NOTHING-----\nAAAA\n-----END NOTHING-----\n"), "certificate");
    expect_refused(read(pem("certificate_pem")), "private key");
    expect_refused(read(pem("private_key_pkcs8_pem")), "certificate");
    expect_refused(read(pem("other_rsa_private_key_pem + certificate_pem")), "match");
    expect_refused(read(pem("ec_private_key_pem + ec_certificate_pem")), "RSA");
    expect_refused(read(pem("encrypted_private_key_pem + certificate_pem")), "password");
    expect_refused(read(pem("encrypted_private_key_pem + certificate_pem"), "wrong"), "password");
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
