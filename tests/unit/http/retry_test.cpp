// The wait formula, the peer's headers, and when an exchange stops trying.

#include "http/exchange.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

namespace gputide::http {
namespace {

using testing::scripted;
using testing::scripted_fault;
using testing::scripted_loop;

constexpr std::int64_t wall = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT

response answer_with(std::vector<response_header> headers) { return {503, std::move(headers), ""}; }

TEST(ComputedDelay, FollowsTheFormulaAndItsJitter) {
    const retry_rule rule;
    EXPECT_EQ(computed_delay_ms(rule, 1, 0.0), 640);  // 800 × 1 × 0.8
    EXPECT_EQ(computed_delay_ms(rule, 2, 0.4), 2'400);
    EXPECT_EQ(computed_delay_ms(rule, 3, 0.0), 4'480);
    EXPECT_LT(computed_delay_ms(rule, 1, 0.999999), 1'040);
    EXPECT_LT(computed_delay_ms(rule, 3, 0.999999), 7'280);
}

TEST(ComputedDelay, IsCappedAfterTheJitter) {
    retry_rule managed_identity;
    managed_identity.base_ms = 2'000;
    managed_identity.cap_ms = 25'000;
    const std::int64_t expected[] = {2'000, 6'000, 14'000, 25'000, 25'000, 25'000};
    for (int k = 1; k <= 6; ++k) EXPECT_EQ(computed_delay_ms(managed_identity, k, 0.4), expected[k - 1]);
    EXPECT_EQ(computed_delay_ms(managed_identity, 4, 0.999), 25'000);
    EXPECT_EQ(computed_delay_ms(managed_identity, 4'000, 0.999), 25'000);
}

TEST(AskedDelay, TakesTheFirstReadableHeader) {
    EXPECT_EQ(wished_delay_ms(answer_with({{"Retry-After", "7"}}), wall), 7'000);
    EXPECT_EQ(wished_delay_ms(answer_with({{"Retry-After", "7"}, {"x-ms-retry-after-ms", "250"}}), wall), 250);
    EXPECT_EQ(wished_delay_ms(answer_with({{"x-ms-retry-after-ms", "250"}, {"Retry-After-Ms", "20"}}), wall), 20);
    EXPECT_EQ(wished_delay_ms(answer_with({{"retry-after-ms", "soon"}, {"Retry-After", " 3 "}}), wall), 3'000);
    EXPECT_EQ(wished_delay_ms(answer_with({{"retry-after-ms", "0"}, {"Retry-After", "3"}}), wall), 3'000);
}

TEST(AskedDelay, ReadsADateAgainstTheAnswersOwn) {
    const std::string later = "Sun, 06 Nov 1994 08:49:47 GMT";
    EXPECT_EQ(wished_delay_ms(answer_with({{"Retry-After", later}}), wall), 10'000);
    EXPECT_EQ(wished_delay_ms(answer_with({{"Retry-After", later}, {"Date", "Sun, 06 Nov 1994 08:49:44 GMT"}}), wall),
              3'000);
    EXPECT_FALSE(wished_delay_ms(answer_with({{"Retry-After", later}, {"Date", later}}), wall));
    EXPECT_FALSE(wished_delay_ms(answer_with({{"Retry-After", later}}), wall + 60'000));
}

TEST(AskedDelay, TakesTheUnreadableForNone) {
    for (const char* value : {"", "0", "-5", "+5", "1.5", "5s", "soon", "Sun, 99 Nov 1994 08:49:47 GMT"}) {
        EXPECT_FALSE(wished_delay_ms(answer_with({{"Retry-After", value}}), wall)) << value;
    }
    EXPECT_FALSE(wished_delay_ms(answer_with({}), wall));
}

TEST(AskedDelay, SurvivesANumberBeyondAllBounds) {
    const auto asked = wished_delay_ms(answer_with({{"Retry-After", "99999999999999999999"}}), wall);
    ASSERT_TRUE(asked);
    EXPECT_GT(*asked, 86'400'000);
    EXPECT_GT(wall + *asked, wall);
    EXPECT_GT(*wished_delay_ms(answer_with({{"Retry-After", "9223372036854775807"}}), wall), 86'400'000);
}

TEST(AgainByStatus, RepeatsWhatPasses) {
    for (const int status : {408, 429, 500, 502, 503, 504})
        EXPECT_TRUE(again_by_status(scripted(status).what)) << status;
    for (const int status : {200, 301, 400, 401, 403, 404, 501, 505})
        EXPECT_FALSE(again_by_status(scripted(status).what)) << status;
    for (const fault entry : {fault::resolve, fault::connect, fault::reset, fault::timeout}) {
        EXPECT_TRUE(again_by_status(scripted_fault(entry).what)) << fault_name(entry);
    }
    for (const fault entry : {fault::tls_verify, fault::tls_handshake, fault::not_allowed, fault::deadline,
                              fault::too_large, fault::cancelled, fault::url, fault::encoding}) {
        EXPECT_FALSE(again_by_status(scripted_fault(entry).what)) << fault_name(entry);
    }
}

struct exchange_test : ::testing::Test {
    scripted_loop loop;
    std::optional<retried> got;
    std::shared_ptr<exchange> under_way;

    void start(retry_rule rule = {}, std::int64_t budget_ms = 1'000'000) {
        request what;
        what.url = "https://login.example/token";
        under_way = send_with_retry(loop, what, std::move(rule), loop.steady_ms() + budget_ms,
                                    [this](retried retried) { got = std::move(retried); });
    }
    void run() {
        loop.run_until_idle();
        ASSERT_TRUE(got);
    }
};

TEST_F(exchange_test, TriesAgainUntilItWorks) {
    loop.set_uniform(0.4);
    loop.answer_next(scripted(503));
    loop.answer_next(scripted_fault(fault::reset));
    loop.answer_next(scripted(200, "ok"));
    start();
    run();
    EXPECT_EQ(got->attempts, 3);
    EXPECT_EQ(got->last.response.body, "ok");
    EXPECT_EQ(loop.delays(), (std::vector<std::int64_t>{800, 2'400}));
}

TEST_F(exchange_test, StopsAfterTheLastRetry) {
    loop.answer_with([](const request&) { return scripted(500); });
    start();
    run();
    EXPECT_EQ(got->attempts, 4);
    EXPECT_EQ(got->last.response.status, 500);
    EXPECT_FALSE(got->past_deadline);
    EXPECT_EQ(got->retry_at_ms, 0);
}

TEST_F(exchange_test, NeverRepeatsAFailedVerification) {
    loop.answer_with([](const request&) { return scripted_fault(fault::tls_verify); });
    start();
    run();
    EXPECT_EQ(got->attempts, 1);
}

TEST_F(exchange_test, WaitsAsLongAsThePeerAsks) {
    loop.answer_next(scripted(429, "", {{"Retry-After", "7"}}));
    loop.answer_next(scripted(200));
    start();
    run();
    EXPECT_EQ(loop.delays(), std::vector<std::int64_t>{7'000});
}

TEST_F(exchange_test, DoesNotSleepBeyondTheCap) {
    loop.answer_next(scripted(429, "", {{"Retry-After", "61"}}));
    start();
    run();
    EXPECT_EQ(got->attempts, 1);
    EXPECT_FALSE(got->past_deadline);
    EXPECT_EQ(got->retry_at_ms, loop.wall_ms() + 61'000);
    EXPECT_TRUE(loop.delays().empty());
}

TEST_F(exchange_test, DoesNotSleepPastTheDeadline) {
    loop.answer_next(scripted(503, "", {{"Retry-After", "5"}}));
    start({}, 4'000);
    run();
    EXPECT_TRUE(got->past_deadline);
    EXPECT_EQ(got->last.response.status, 503);
    EXPECT_EQ(got->retry_at_ms, loop.wall_ms() + 5'000);
    EXPECT_TRUE(loop.delays().empty());
}

TEST_F(exchange_test, TellsWhenToComeBackAfterTheLastTry) {
    retry_rule once;
    once.max_retries = 0;
    loop.answer_next(scripted(429, "", {{"Retry-After", "5"}}));
    start(once);
    run();
    EXPECT_EQ(got->retry_at_ms, loop.wall_ms() + 5'000);
}

TEST_F(exchange_test, AsksTheCallersOwnJudge) {
    retry_rule rule;
    rule.again = [](const answer& answer) { return answer.response.status == 404; };
    loop.answer_next(scripted(404));
    loop.answer_next(scripted(503));
    start(rule);
    run();
    EXPECT_EQ(got->attempts, 2);
}

TEST_F(exchange_test, CancelEndsARequestAndASleep) {
    loop.answer_next(scripted(503));
    start();
    under_way->cancel();
    EXPECT_EQ(loop.pending(), 0U);
    loop.answer_next(scripted(503));
    start();
    loop.advance(1);  // now it sleeps
    EXPECT_EQ(loop.pending(), 1U);
    under_way->cancel();
    under_way->cancel();
    EXPECT_EQ(loop.run_until_idle(), 0U);
    EXPECT_FALSE(got);
}

TEST_F(exchange_test, EveryAttemptCarriesTheWholeRequest) {
    loop.answer_with([](const request&) { return scripted(500); });
    start();
    run();
    ASSERT_EQ(loop.requests().size(), 4U);
    for (const auto& request : loop.requests()) EXPECT_EQ(request.what.url, "https://login.example/token");
}

}  // namespace
}  // namespace gputide::http
