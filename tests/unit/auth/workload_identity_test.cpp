// The flow of a token request over a scripted loop, where it goes beyond the recorded cases: which server is called when, what a
// cancel stops, what a token is used for.
#include "acquiring.hpp"
#include "auth/authenticator.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/credential.hpp"
#include "fake_surroundings.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;
using test::no_deadline;
using test::webhook_pod;

constexpr const char* good = R"({"token_type":"Bearer","expires_in":3599,"access_token":"TOKEN-ONE"})";

class Flow : public ::testing::Test {
  protected:
    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    std::shared_ptr<test::fake_surroundings> pod = webhook_pod();
    std::shared_ptr<credential> from = *open_workload_identity({}, {}, pod);
    std::optional<result<token>> got;

    std::shared_ptr<http::exchange> acquire(const std::string& scope = "https://r/.default",
                                            std::int64_t deadline_ms = no_deadline) {
        auto out = from->acquire(*loop, scope, deadline_ms, [this](result<token> what) { got = std::move(what); });
        EXPECT_FALSE(got) << "never inside the call";
        return out;
    }
};

TEST_F(Flow, TheFileIsReadForEachRequest) {
    EXPECT_EQ(pod->reads, 0);
    for (int i = 1; i <= 2; ++i) {
        loop->answer_next(scripted(200, good));
        acquire();
        loop->run_until_idle();
        ASSERT_TRUE(got && *got);
        EXPECT_EQ(pod->reads, i);
        got.reset();
    }
}

TEST_F(Flow, ErrorsBeforeSendingComeFromTheLoop) {
    pod->files.clear();
    acquire();
    loop->run_until_idle();
    ASSERT_TRUE(got && !*got);
    EXPECT_EQ(got->failure().error_class, error_class::config);
    EXPECT_TRUE(loop->requests().empty());
    got.reset();
    acquire("two scopes");
    loop->run_until_idle();
    EXPECT_NE(got->failure().message.find("scope"), std::string::npos);
}

TEST_F(Flow, ACancelStopsARetryThatWaits) {
    loop->answer_next(scripted(503));
    const auto under_way = acquire();
    loop->advance(0);
    EXPECT_EQ(loop->pending(), 1u) << "the wait before the second attempt";
    under_way->cancel();
    EXPECT_EQ(loop->run_until_idle(), 0u);
    EXPECT_FALSE(got);
}

TEST_F(Flow, TheLifeOfATokenStartsWhenItsRequestWasSent) {
    loop->answer_next(scripted(503));
    auto slow = scripted(200, good);
    slow.delay_ms = 5'000;
    loop->answer_next(slow);
    acquire();
    loop->run_until_idle();
    ASSERT_TRUE(got && *got);
    const std::int64_t sent_ms = loop->requests().back().sent_at_ms;
    EXPECT_LE((*got)->issued_at_steady_ms, sent_ms);
    EXPECT_GE((*got)->issued_at_steady_ms, sent_ms - 1'040) << "at most the wait before that attempt";
}

TEST_F(Flow, ADeadlineThatAWaitWouldPassEndsItNow) {
    loop->answer_next(scripted(503, {}, {{"Retry-After", "7"}}));
    acquire("https://r/.default", loop->steady_ms() + 3'000);
    loop->run_until_idle();
    ASSERT_TRUE(got && !*got);
    const error& why = got->failure();
    EXPECT_EQ(why.error_class, error_class::transient);
    EXPECT_TRUE(why.retryable);
    EXPECT_NE(why.message.find("deadline"), std::string::npos);
    EXPECT_EQ(why.retry_at_ms, loop->wall_ms() + 7'000);
    EXPECT_EQ(loop->requests().size(), 1u);
}

TEST_F(Flow, AStaleAssertionThatTurnsUnreadableIsStale) {
    loop->answer_with([this](const http::request&) {
        pod->files.clear();
        return scripted(401, R"({"error_codes":[700024]})");
    });
    acquire();
    loop->run_until_idle();
    EXPECT_EQ(got->failure().error_class, error_class::stale_assertion);
    EXPECT_EQ(loop->requests().size(), 1u);
}

TEST_F(Flow, TheSecondStaleAnswerIsFinal) {
    loop->answer_with([this](const http::request&) {
        pod->files[test::token_path] += "x";
        return scripted(401, R"({"error_codes":[700024]})");
    });
    acquire();
    loop->run_until_idle();
    EXPECT_EQ(got->failure().error_class, error_class::stale_assertion);
    EXPECT_EQ(loop->requests().size(), 2u);
}

TEST_F(Flow, TlsVerificationIsNeverABlip) {
    loop->answer_next(scripted_fault(http::fault::tls_verify, "unable to get local issuer certificate"));
    acquire();
    loop->run_until_idle();
    EXPECT_EQ(got->failure().status, status::security);
    EXPECT_EQ(loop->requests().size(), 1u);
}

TEST_F(Flow, KeysTellIdentitiesApart) {
    const auto key = [this](const workload_identity_settings& settings) {
        return (*open_workload_identity(settings, {}, pod))->cache_key();
    };
    EXPECT_EQ(key({}), from->cache_key());
    EXPECT_EQ(key({{}, "CONTOSO.com", {}}), key({{}, "contoso.COM", {}}));
    EXPECT_NE(key({"other", {}, {}}), from->cache_key());
    EXPECT_NE(key({{}, "t", {}}), key({{}, "t", "https://login.microsoftonline.us"}));
}

TEST_F(Flow, ARefusedTokenIsRenewedOnceForTheSource) {
    const auto cache = std::make_shared<token_cache>(loop);
    access how;
    how.credential = from;
    how.audience = azure_audience(azure_api::managed_prometheus, azure_cloud::public_cloud);
    const authenticator gate(how, {}, cache);
    http::request query;
    query.url = "https://w.eastus.prometheus.monitor.azure.com/api/v1/query";
    query.set("Authorization", "from customHeaders");
    ASSERT_TRUE(gate.prepare(query));

    const auto sent_with = [&](std::initializer_list<std::int32_t> statuses) {
        for (const std::int32_t status : statuses) loop->answer_next(scripted(status, status == 200 ? good : ""));
        std::optional<result<exchanged>> sent;
        const auto waits = send_authenticated(loop, gate, query, no_deadline,
                                              [&sent](result<exchanged> what) { sent = std::move(what); });
        EXPECT_FALSE(sent);
        loop->run_until_idle();
        EXPECT_EQ(loop->unused_answers(), 0U);
        EXPECT_EQ((*sent)->sent->headers.size(), 1u);
        return std::string((*sent)->sent->find("Authorization")->value.reveal());
    };
    EXPECT_EQ(sent_with({200, 403}), "Bearer TOKEN-ONE") << "a missing role";
    loop->answer_next(scripted(401));
    loop->answer_next(scripted(200, R"({"expires_in":3599,"access_token":"TOKEN-TWO"})"));
    EXPECT_EQ(sent_with({401}), "Bearer TOKEN-TWO");
    EXPECT_EQ(sent_with({401}), "Bearer TOKEN-TWO") << "not twice in thirty seconds";

    query.url = "https://prometheus.evil.example/";
    EXPECT_FALSE(gate.prepare(query));
}

}  // namespace
}  // namespace gputide::auth
