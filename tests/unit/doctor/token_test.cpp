// Tokens, the files they are exchanged for, and refusals.

#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gputide::doctor {
namespace {

using gputide::testing::holds;

constexpr std::int64_t token_now_ms = 1'800'000'000'000;

token refused(std::int64_t number) {
    token out;
    out.who.client_id = "client-b";
    out.scope = "https://prometheus.monitor.azure.com/.default";
    out.now_ms = token_now_ms;
    out.why = fail(status::unavailable, "the service's words");
    out.why.service_number = number;
    return out;
}

TEST(Token, ARefusalWithoutAReadableAssertionStillSaysWhatEntraMustHold) {
    const step found = judge_token(refused(700213));
    EXPECT_EQ(found.verdict, verdict::failed);
    EXPECT_TRUE(holds(found.cause, "system:serviceaccount:<namespace>:<name>"));
    EXPECT_TRUE(holds(found.paste, "--subject system:serviceaccount:<namespace>:<name>"));
}

TEST(Token, AnUnknownRefusalGivesTheServicesWords) {
    EXPECT_EQ(judge_token(refused(0)).seen, "the service's words");
    EXPECT_EQ(judge_token(refused(1)).seen, "the service's words");
}

TEST(Token, ClaimsOfAnotherAudienceOrTenantAreDoubted) {
    token seen = refused(0);
    seen.why = fail(status::ok, {});
    seen.who.tenant = "0000-a";
    seen.expires_at_ms = token_now_ms + 3'600'000;
    EXPECT_EQ(judge_token(seen).verdict, verdict::ok);  // opaque
    seen.claims.emplace();
    seen.claims->audience = "https://prometheus.monitor.azure.com/";
    seen.claims->tenant = "0000-A";
    EXPECT_EQ(judge_token(seen).verdict, verdict::ok);
    seen.claims->tenant = "0000-b";
    EXPECT_EQ(judge_token(seen).verdict, verdict::warning);
    seen.who.tenant = "example.org";  // by its domain it cannot be compared
    EXPECT_EQ(judge_token(seen).verdict, verdict::ok);
    seen.claims->audience = "https://management.azure.com";
    EXPECT_EQ(judge_token(seen).verdict, verdict::warning);
}

TEST(TokenFile, IsJudgedByItsTimesAndAudience) {
    token_file seen;
    seen.path = "/t";
    seen.now_ms = token_now_ms;
    EXPECT_EQ(judge_token_file(seen).verdict, verdict::ok);  // it says nothing of itself
    seen.claims.expires_at_s = token_now_ms / 1'000;
    EXPECT_TRUE(holds(judge_token_file(seen).seen, "expired"));
    seen.claims.expires_at_s = token_now_ms / 1'000 + 1;
    EXPECT_EQ(judge_token_file(seen).verdict, verdict::ok);
    seen.claims.starts_at_s = token_now_ms / 1'000 + 61;
    EXPECT_TRUE(holds(judge_token_file(seen).cause, "behind"));
    seen.claims.starts_at_s = token_now_ms / 1'000 + 60;
    EXPECT_EQ(judge_token_file(seen).verdict, verdict::ok);
    seen.claims.audience = "https://kubernetes.default.svc";
    EXPECT_TRUE(holds(judge_token_file(seen).paste, "audience: api://AzureADTokenExchange"));
}

TEST(Token, AClientOfOAuthAsksForNoResource) {
    token seen;
    seen.scope = "authModes oauth";
    seen.claims = auth::claims();
    seen.claims->audience = "https://prometheus.corp";
    EXPECT_EQ(judge_token(seen).verdict, verdict::ok);
    seen.scope = "https://other.corp/.default";
    EXPECT_EQ(judge_token(seen).verdict, verdict::warning);
}

TEST(Environment, NamesEveryVariableThatIsMissing) {
    environment seen;
    seen.provider = "azure-workload";
    static constexpr std::array<manifest::injected_setting, 4> rows{{
        {.shown_as = "client", .variable = "A", .key = "identityId"},
        {.shown_as = {}, .variable = "B", .key = {}},
        {.shown_as = {}, .variable = "C", .key = {}, .is_needed = false},
        {.shown_as = {}, .variable = "D", .key = {}},
    }};
    for (const manifest::injected_setting& row : rows)
        seen.settings.push_back({&row, row.variable == "B" ? "x" : "", false});
    const step found = judge_environment(seen);
    EXPECT_TRUE(holds(found.seen, "A, D are not set"));
    EXPECT_TRUE(holds(found.fix, "identityId of podIdentity can be set instead of A"));
}

TEST(Query, TheRoleFollowsTheApi) {
    evidence seen;
    seen.with_credential = true;
    seen.of_azure = true;
    seen.client = "client-b";
    seen.fetched.why = fail(status::forbidden, "no");
    seen.fetched.why.http_status = 403;
    for (const auto& [needs, host, role] :
         {std::tuple{source::azure_role(), "w.eastus.prometheus.monitor.azure.com", "Monitoring Data Reader"},
          std::tuple{source::azure_role(), "query.eastus.prometheus.monitor.azure.com", "\"Monitoring Reader\""},
          std::tuple{source::azure_role{"Monitoring Reader", "the resource"}, "management.azure.com",
                     "\"Monitoring Reader\""},
          std::tuple{source::azure_role{"Log Analytics Reader", "the workspace"}, "api.loganalytics.azure.com",
                     "Log Analytics Reader"}}) {
        const source::traits traits{.role = needs};
        seen.described.traits = &traits;
        seen.host = host;
        EXPECT_TRUE(holds(judge_query(seen).paste, role)) << host;
    }
}

TEST(Query, OtherServersHaveNoRolesOfAzure) {
    evidence seen;
    seen.with_credential = true;
    seen.fetched.why = fail(status::forbidden, "no");
    source::traits traits{.is_granted_by_cluster = true};
    seen.described.traits = &traits;
    EXPECT_TRUE(holds(judge_query(seen).paste, "kubectl create clusterrole"));
    traits.is_granted_by_cluster = false;
    EXPECT_EQ(judge_query(seen).paste, "");
    EXPECT_FALSE(holds(judge_query(seen).fix, "Monitoring"));
}

}  // namespace
}  // namespace gputide::doctor
