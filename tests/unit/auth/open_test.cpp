// From a podIdentity block and its parameters to a credential, for each provider that a manifest may name.
#include "auth/open.hpp"

#include "acquiring.hpp"
#include "support/folder.hpp"
#include "support/pem_vectors.hpp"

#include <fstream>

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using test::expect_text;

manifest::authentication identity(const std::string& provider,
                                  const std::map<std::string, std::string>& parameters = {}) {
    manifest::authentication out;
    out.provider = provider;
    for (const auto& [name, value] : parameters) out.parameters.emplace(name, secret_text(value));
    return out;
}

class Open : public test::Acquiring {
  protected:
    result<std::shared_ptr<credential>> open(const manifest::authentication& from) {
        return open_identity(from, permissions, host);
    }
    // The one request that a token takes.
    http::request asked(const manifest::authentication& from) {
        const auto opened = open(from);
        EXPECT_TRUE(opened) << test::message_of(opened);
        if (!opened) return {};
        loop->answer_next(scripted(200, R"({"access_token":"T","expires_in":3599})"));
        EXPECT_EQ(value_of(acquire(**opened)), "T");
        return loop->requests().back().what;
    }
};

TEST_F(Open, EveryProviderOfTheVocabularyHasAnOpener) {
    for (const char* name :
         {"azure-workload", "azure-managed-identity", "azure-client-secret", "azure-client-certificate", "azure-cli",
          "azure-default", "aws", "gcp", "bearer-file", "bearer-exec"}) {
        EXPECT_NE(manifest::find_identity(identity_kinds(), name), nullptr) << name;
        const auto got = open(identity(name));
        EXPECT_EQ(test::message_of(got).find("does not provide a credential"), std::string::npos) << name;
    }
    for (const char* name : {"", "none", "azure", "aws-eks"}) {
        expect_text(test::message_of(open(identity(name))),
                    {"does not provide a credential", "azure-managed-identity"});
    }
}

TEST_F(Open, ManagedIdentityBySelector) {
    expect_text(asked(identity("azure-managed-identity")).url, {"http://169.254.169.254/metadata/identity"});
    expect_text(asked(identity("azure-managed-identity", {{"clientId", " c-1\n"}})).url, {"&client_id=c-1"});
    expect_text(asked(identity("azure-managed-identity", {{"objectId", "o-1"}})).url, {"&object_id=o-1"});
    expect_text(asked(identity("azure-managed-identity", {{"resourceId", "/r/1"}})).url, {"&msi_res_id=%2Fr%2F1"});
    auto in_block = identity("azure-managed-identity");
    in_block.identity_id = "c-2";
    expect_text(asked(in_block).url, {"&client_id=c-2"});
    in_block.parameters.emplace("objectId", secret_text(std::string("o-2")));
    expect_text(test::message_of(open(in_block)), {"at most one"});
    host->variables = {{"IDENTITY_ENDPOINT", "http://127.0.0.1:1/msi"}, {"IDENTITY_HEADER", "h"}};
    expect_text(asked(identity("azure-managed-identity")).url, {"http://127.0.0.1:1/msi?api-version=2019-08-01"});
}

TEST_F(Open, ClientSecretFromParametersBlockOrEnvironment) {
    const auto body = [this](const manifest::authentication& from) {
        const http::request sent = asked(from);
        return sent.url + " " + std::string(sent.body.reveal());
    };
    expect_text(
        body(identity("azure-client-secret", {{"tenantId", "t-1"}, {"clientId", "c-1"}, {"clientSecret", "s-1\n"}})),
        {"https://login.microsoftonline.com/t-1/oauth2/v2.0/token", "client_id=c-1", "client_secret=s-1&"});
    auto in_block = identity("azure-client-secret", {{"clientSecret", "s-2"}});
    in_block.identity_id = "c-2";
    in_block.identity_tenant_id = "t-2";
    in_block.identity_authority_host = "https://login.microsoftonline.us";
    expect_text(body(in_block), {"https://login.microsoftonline.us/t-2/", "client_id=c-2", "client_secret=s-2"});
    host->variables = {{"AZURE_TENANT_ID", "t-3"}, {"AZURE_CLIENT_ID", "c-3"}, {"AZURE_CLIENT_SECRET", "s-3"}};
    expect_text(body(identity("azure-client-secret")), {"/t-3/", "client_id=c-3", "client_secret=s-3"});
    host->variables.clear();
    expect_text(test::message_of(open(identity("azure-client-secret"))), {"clientSecret", "AZURE_CLIENT_SECRET"});
}

// cloud of azureServicePrincipal.
TEST_F(Open, AnApplicationSignsInWhereItsCloudDoes) {
    auto from = identity("azure-client-secret", {{"tenantId", "t"}, {"clientId", "c"}, {"clientSecret", "s"}});
    from.identity_cloud = "azureusgovernmentcloud";
    expect_text(asked(from).url, {"https://login.microsoftonline.us/t/"});
    from.identity_cloud = "Moon";
    expect_text(test::message_of(open(from)), {"azureServicePrincipal.cloud: \"Moon\" is not known"});
    from.identity_authority_host = "https://login.partner.microsoftonline.cn";
    expect_text(asked(from).url, {"https://login.partner.microsoftonline.cn/t/"});
}

TEST_F(Open, AManifestCannotNameAnAuthorityOfItsOwn) {
    auto from = identity("azure-client-secret", {{"tenantId", "t"}, {"clientId", "c"}, {"clientSecret", "s"}});
    from.parameters.emplace("authorityHost", secret_text(std::string("https://login.evil.example")));
    expect_text(test::message_of(open(from)), {"login.evil.example", "allow_custom_authority"});
    permissions.allow_custom_authority = true;
    EXPECT_TRUE(open(from));
    from.parameters["authorityHost"] = secret_text(std::string("http://login.evil.example"));
    expect_text(test::message_of(open(from)), {"https"});
}

TEST_F(Open, ClientCertificateAsATextOfASecret) {
    const auto vectors =
        nlohmann::json::parse(std::ifstream(testing::file_path("cases/azure-token.json"))).at("jwt_assertions");
    auto from = identity("azure-client-certificate", {{"tenantId", "t"}, {"clientId", "c"}});
    expect_text(test::message_of(open(from)), {"clientCertificate", "AZURE_CLIENT_CERTIFICATE_PATH"});
    from.parameters.emplace("clientCertificate",
                            secret_text(gputide::testing::pem_of(vectors, "private_key_pkcs8_pem + certificate_pem")));
    expect_text(std::string(asked(from).body.reveal()),
                {"client_id=c", "client_assertion_type=urn%3Aietf", "client_assertion=eyJ"});
    from.parameters.emplace("sendCertificateChain", secret_text(std::string("maybe")));
    expect_text(test::message_of(open(from)), {"sendCertificateChain: expected true or false"});
    EXPECT_EQ(host->reads, 0) << "no file is opened";
}

TEST_F(Open, WhatTheHostHasToAllow) {
    expect_text(test::message_of(open(identity("azure-cli"))), {"\"az\"", "--allow-program"});
    expect_text(test::message_of(open(identity("bearer-exec", {{"command", "/bin/sh"}}))), {"--allow-program"});
    expect_text(test::message_of(open(identity("bearer-file", {{"tokenFile", "/etc/shadow"}}))), {"--secrets-dir"});
    permissions.allowed_programs = {"/opt/token"};
    const auto opened = open(identity("bearer-exec", {{"command", "/opt/token"}, {"arguments", " -a  b\n{scope} "}}));
    ASSERT_TRUE(opened) << test::message_of(opened);
    host->programs["/opt/token"] = test::printed("P");
    EXPECT_EQ(value_of(acquire(**opened, "s")), "P");
    EXPECT_EQ(host->ran.at(0), (std::vector<std::string>{"/opt/token", "-a", "b", "s"}));
}

}  // namespace
}  // namespace gputide::auth
