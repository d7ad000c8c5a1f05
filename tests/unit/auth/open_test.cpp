// From a podIdentity block and its parameters to a credential, for each provider that a manifest may name; the default chain: its
// order, which member is passed by and why, what ends it, and that every reason is told.
#include "auth/open.hpp"

#include "acquiring.hpp"
#include "auth/azure/credentials.hpp"
#include "support/folder.hpp"
#include "support/pem_vectors.hpp"

#include <fstream>

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;
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

constexpr const char* granted = R"({"access_token":"T","expires_in":"3599"})";

class Chain : public test::Acquiring {
  protected:
    result<std::shared_ptr<credential>> open(const application_settings& settings = {}) {
        return open_azure_default(settings, permissions, host);
    }
    result<token> attempt() {
        const auto opened = open();
        if (!opened) return opened.failure();
        return acquire(**opened);
    }
};

TEST_F(Chain, NobodyIsHereAndEachSaysWhy) {
    loop->answer_next(scripted_fault(http::fault::connect, "no route"));
    const auto got = attempt();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().error_class, error_class::unavailable);
    EXPECT_EQ(got.failure().status, status::not_here);
    expect_text(got.failure().message,
                {"azure-default: no credential is available",
                 "environment: neither AZURE_CLIENT_SECRET nor AZURE_CLIENT_CERTIFICATE_PATH is set",
                 "workload identity: AZURE_CLIENT_ID, AZURE_TENANT_ID, AZURE_FEDERATED_TOKEN_FILE are not set",
                 "managed identity: no managed identity is available", "169.254.169.254",
                 "Azure CLI: the program \"az\" is not run", "--allow-program"});
    EXPECT_EQ(loop->requests().size(), 1u);
    EXPECT_EQ(loop->requests()[0].what.connect_timeout_ms, 1'000);
}

TEST_F(Chain, TheEnvironmentComesFirst) {
    host = test::webhook_pod();
    host->variables["AZURE_CLIENT_SECRET"] = "s3cret-in-the-environment";
    loop->answer_next(scripted(200, granted));
    EXPECT_EQ(value_of(attempt()), "T");
    ASSERT_EQ(loop->requests().size(), 1u);
    expect_text(std::string(loop->requests()[0].what.body.reveal()), {"client_secret=s3cret"});
}

TEST_F(Chain, ThenThePodsIdentity) {
    host = test::webhook_pod();
    loop->answer_next(scripted(200, granted));
    EXPECT_EQ(value_of(attempt()), "T");
    expect_text(std::string(loop->requests()[0].what.body.reveal()), {"client_assertion=eyJ"});
}

TEST_F(Chain, ThenTheMachinesWithTheUserAssignedOneOfTheEnvironment) {
    host->variables["AZURE_CLIENT_ID"] = "11111111-0000-0000-0000-000000000001";
    loop->answer_next(scripted(200, granted));
    EXPECT_EQ(value_of(attempt()), "T");
    expect_text(loop->requests()[0].what.url, {"169.254.169.254", "client_id=11111111-0000-0000-0000-000000000001"});
}

TEST_F(Chain, ThenTheAzureCli) {
    permissions.allowed_programs = {"az"};
    host->programs["az"] = test::printed(R"({"accessToken":"C","expires_on":1760003600})");
    loop->answer_next(scripted_fault(http::fault::timeout, "1 s"));
    EXPECT_EQ(value_of(attempt()), "C");
}

TEST_F(Chain, TheOneThatAnswersIsKept) {
    permissions.allowed_programs = {"az"};
    host->programs["az"] = test::printed(R"({"accessToken":"C","expires_on":1760003600})");
    const auto opened = open();
    ASSERT_TRUE(opened);
    loop->answer_next(scripted(400, "{}"));
    EXPECT_EQ(value_of(acquire(**opened)), "C");
    EXPECT_EQ(value_of(acquire(**opened)), "C");
    EXPECT_EQ(loop->requests().size(), 1u) << "the metadata service is not asked again";
    host->programs.clear();
    const auto later = acquire(**opened);
    ASSERT_FALSE(later);
    EXPECT_EQ(later.failure().status, status::not_here);
    EXPECT_EQ(loop->requests().size(), 1u) << "a chain does not change to another identity";
}

TEST_F(Chain, AFailureThatIsNoAbsenceEndsIt) {
    host = test::webhook_pod();
    loop->answer_next(scripted(401, R"({"error":"invalid_client","error_codes":[700016]})"));
    const auto got = attempt();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().service_code, "AADSTS700016");
    expect_text(got.failure().message,
                {"azure-default: workload identity: ", "Skipped before it: environment: neither AZURE_CLIENT_SECRET"});
    EXPECT_EQ(loop->requests().size(), 1u) << "the node's identity is not tried in its place";
}

TEST_F(Chain, ASettingThatIsThereAndWrongIsKnownWhenItIsOpened) {
    host->variables["AZURE_CLIENT_CERTIFICATE_PATH"] = "/nowhere.pem";
    host->variables["AZURE_TENANT_ID"] = "t";
    host->variables["AZURE_CLIENT_ID"] = "c";
    const auto got = open();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().error_class, error_class::config);
    expect_text(got.failure().message, {"azure-default: environment: ", "/nowhere.pem"});
}

TEST_F(Chain, TheEnvironmentNarrowsIt) {
    host->variables["AZURE_TOKEN_CREDENTIALS"] = "dev";
    expect_text(test::message_of(open()), {"azure-default: no credential is available: Azure CLI: "});
    permissions.allowed_programs = {"az"};
    EXPECT_TRUE(open());
    host->variables["AZURE_TOKEN_CREDENTIALS"] = "workloadIdentitycredential";
    expect_text(test::message_of(open()), {"no credential is available: workload identity: AZURE_CLIENT_ID"});
    host->variables["AZURE_TOKEN_CREDENTIALS"] = "everything";
    expect_text(test::message_of(open()), {"AZURE_TOKEN_CREDENTIALS: expected prod, dev", "\"everything\""});
}

TEST_F(Chain, ADeadlineAndACancelReachTheMember) {
    const auto opened = open();
    ASSERT_TRUE(opened);
    bool told = false;
    auto under_way = (*opened)->acquire(*loop, "https://r", test::no_deadline, [&told](result<token>) { told = true; });
    ASSERT_TRUE(loop->run_until([&] { return loop->requests().size() == 1; }));
    under_way->cancel();
    EXPECT_EQ(loop->run_until_idle(), 0u);
    EXPECT_FALSE(told);
}

}  // namespace
}  // namespace gputide::auth
