// Google: what a service account's key signs, the receiver of that, and the metadata server.
#include "acquiring.hpp"
#include "auth/crypto/signing_key.hpp"
#include "auth/open.hpp"
#include "base/encode.hpp"
#include "base/json_writer.hpp"
#include "support/folder.hpp"
#include "support/pem_vectors.hpp"

#include <openssl/evp.h>

#include <fstream>

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;
using nlohmann::json;
using test::expect_text;

constexpr const char* google_answer = R"({"access_token":"G","expires_in":3599,"token_type":"Bearer"})";

std::string private_pem() {
    const json vectors = json::parse(std::ifstream(testing::file_path("cases/azure-token.json"))).at("jwt_assertions");
    return gputide::testing::pem_of(vectors, "private_key_pkcs8_pem");
}

json account() {
    return {{"type", "service_account"},
            {"client_email", "gpu@p.iam.gserviceaccount.com"},
            {"private_key_id", "key-1"},
            {"private_key", private_pem()},
            {"token_uri", "https://oauth2.googleapis.com/token"}};
}

bool is_signed(const std::string& jwt, const std::string& pem) {
    const auto key = read_signing_key(pem, {});
    const std::size_t dot = jwt.rfind('.');
    const auto signature = decode_base64url(jwt.substr(dot + 1));
    if (!key || !signature) return false;
    const std::string input = jwt.substr(0, dot);
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const bool out =
        EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key->get()) == 1 &&
        EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature->data()), signature->size(),
                         reinterpret_cast<const unsigned char*>(input.data()), input.size()) == 1;
    EVP_MD_CTX_free(context);
    return out;
}

class Google : public test::Acquiring {
  protected:
    result<std::shared_ptr<credential>> open(const json& key) {
        return open_google_key(secret_text(key.dump()), permissions);
    }
};

TEST_F(Google, TheKeySignsItsAssertion) {
    const auto opened = open(account());
    ASSERT_TRUE(opened) << test::message_of(opened);
    loop->answer_next(scripted(200, google_answer));
    EXPECT_EQ(value_of(acquire(**opened, std::string(google_monitoring_scope))), "G");
    const http::request sent = loop->requests().at(0).what;
    EXPECT_EQ(sent.url, "https://oauth2.googleapis.com/token");
    const std::string body(sent.body.reveal());
    expect_text(body, {"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="});
    const std::string jwt = body.substr(body.rfind('=') + 1);
    EXPECT_TRUE(is_signed(jwt, private_pem()));
    const std::size_t dot = jwt.find('.');
    EXPECT_EQ(json::parse(*decode_base64url(jwt.substr(0, dot))),
              (json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key-1"}}));
    const std::int64_t signed_s = loop->wall_ms() / 1000;
    EXPECT_EQ(json::parse(*decode_base64url(jwt.substr(dot + 1, jwt.rfind('.') - dot - 1))),
              (json{{"iss", "gpu@p.iam.gserviceaccount.com"},
                    {"scope", google_monitoring_scope},
                    {"aud", "https://oauth2.googleapis.com/token"},
                    {"iat", signed_s},
                    {"exp", signed_s + 3'600}}));
}

TEST_F(Google, RefusalsHoldNoSecret) {
    const auto opened = open(account());
    loop->answer_with([](const http::request& what) {
        const std::string form(what.body.reveal());
        return scripted(400, R"({"error":"invalid_grant","error_description":"Invalid JWT: )" +
                                 form.substr(form.rfind('=') + 1) + "\"}");
    });
    const auto got = acquire(**opened, "s");
    EXPECT_EQ(got.failure().error_class, error_class::permanent);
    expect_text(got.failure().message, {"invalid_grant", "gpu@p.iam.gserviceaccount.com"});
    EXPECT_EQ(got.failure().message.find("eyJ"), std::string::npos) << got.failure().message;
}

TEST_F(Google, KeysThatCannotBeUsed) {
    const auto why = [this](const char* name, const json& value) {
        json key = account();
        key[name] = value;
        const auto got = open(key);
        EXPECT_TRUE(!got) << name;
        EXPECT_EQ(test::message_of(got).find("PRIVATE"), std::string::npos);
        return test::message_of(got);
    };
    expect_text(why("type", "authorized_user"), {"\"authorized_user\" is not supported"});
    expect_text(why("type", nullptr), {"type"});
    expect_text(why("client_email", ""), {"client_email"});
    expect_text(why("private_key", "text"), {"private_key: no readable private key"});
    expect_text(why("token_uri", "https://evil.example/token"), {"evil.example", "allow_custom_authority"});
    expect_text(why("token_uri", "http://oauth2.googleapis.com/token"), {"https"});
    expect_text(why("token_uri", "https://oauth2.googleapis.com@evil.example/"), {"https URL"});
    expect_text(test::message_of(open_google_key(secret_text(std::string("text")), permissions)), {"JSON"});
    permissions.allow_custom_authority = true;
    json key = account();
    key["token_uri"] = "https://sts.corp.example/token";
    EXPECT_TRUE(open(key));
}

TEST_F(Google, TheMetadataServerShowsItsFlavor) {
    const auto opened = open_google_metadata(host);
    ASSERT_TRUE(opened);
    loop->answer_next(scripted(200, google_answer, {{"Metadata-Flavor", "Google"}}));
    EXPECT_EQ(value_of(acquire(**opened, "https://s")), "G");
    const http::request sent = loop->requests().at(0).what;
    EXPECT_EQ(
        sent.url,
        "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fs");
    EXPECT_EQ(sent.find("Metadata-Flavor")->value.reveal(), "Google");
    EXPECT_FALSE(sent.use_proxy);
    loop->answer_next(scripted(200, google_answer));
    const auto other = acquire(**opened, "https://s");
    EXPECT_EQ(other.failure().error_class, error_class::unavailable);
    expect_text(other.failure().message, {"without the header Metadata-Flavor: Google"});
    loop->answer_next(scripted(404, "", {{"Metadata-Flavor", "Google"}}));
    expect_text(acquire(**opened, "s").failure().message, {"no service account"});
    host->variables["GCE_METADATA_HOST"] = "evil.example";
    expect_text(test::message_of(open_google_metadata(host)), {"GCE_METADATA_HOST"});
    host->variables["GCE_METADATA_HOST"] = "127.0.0.1:8080";
    EXPECT_TRUE(open_google_metadata(host));
}

TEST_F(Google, TheDefaultIsTheFileAndThenTheServer) {
    loop->answer_next(scripted_fault(http::fault::connect, "no route"));
    const auto nobody = acquire(**open_google_default(permissions, host), "s");
    expect_text(nobody.failure().message,
                {"gcp: no credential is available", "GOOGLE_APPLICATION_CREDENTIALS is not set",
                 "no Google metadata server is available"});
    host->variables["GOOGLE_APPLICATION_CREDENTIALS"] = "/key.json";
    expect_text(test::message_of(open_google_default(permissions, host)), {"gcp: key file: ", "/key.json"});
    host->files["/key.json"] = account().dump();
    loop->answer_next(scripted(200, google_answer));
    EXPECT_EQ(value_of(acquire(**open_google_default(permissions, host), "s")), "G");
    EXPECT_EQ(loop->requests().back().what.url, "https://oauth2.googleapis.com/token");
}

}  // namespace
}  // namespace gputide::auth
