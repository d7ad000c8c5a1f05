// The default chain: its order, which member is passed by and why, what ends it, and that every reason is told.

#include "acquiring.hpp"
#include "auth/azure/credentials.hpp"

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;
using test::expect_text;

constexpr const char* good = R"({"access_token":"T","expires_in":"3599"})";

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
    loop->answer_next(scripted(200, good));
    EXPECT_EQ(value_of(attempt()), "T");
    ASSERT_EQ(loop->requests().size(), 1u);
    expect_text(std::string(loop->requests()[0].what.body.reveal()), {"client_secret=s3cret"});
}

TEST_F(Chain, ThenThePodsIdentity) {
    host = test::webhook_pod();
    loop->answer_next(scripted(200, good));
    EXPECT_EQ(value_of(attempt()), "T");
    expect_text(std::string(loop->requests()[0].what.body.reveal()), {"client_assertion=eyJ"});
}

TEST_F(Chain, ThenTheMachinesWithTheUserAssignedOneOfTheEnvironment) {
    host->variables["AZURE_CLIENT_ID"] = "11111111-0000-0000-0000-000000000001";
    loop->answer_next(scripted(200, good));
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
