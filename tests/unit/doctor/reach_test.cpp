// Hosts that do not answer, certificates and clocks.
#include "doctor/judge.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

using gputide::testing::holds;

constexpr std::int64_t now_ms = 1'800'000'000'000;
constexpr std::int64_t day_ms = 86'400'000;

reach answered() {
    reach out;
    out.url = "https://h";
    out.host = "h";
    out.now_ms = now_ms;
    out.answer.response.status = 200;
    out.chain = {{"h", "a CA", {"h"}, now_ms - 80 * day_ms, now_ms + 10 * day_ms, false, true}};
    return out;
}

reach refused(certificate shown) {
    reach out = answered();
    out.answer.fault = http::fault::tls_verify;
    out.roots = "the system's CAs";
    out.chain = {std::move(shown)};
    return out;
}

TEST(Reach, TellsWhoIssuedAndHowLongItHolds) {
    const step found = judge_reach("endpoint", answered());
    EXPECT_EQ(found.verdict, verdict::ok);
    EXPECT_TRUE(holds(found.seen, "issued by a CA, valid for 10 days"));
}

TEST(Reach, ACertificateThatEndsWithinAWeekIsDoubted) {
    reach seen = answered();
    seen.chain[0].not_after_ms = now_ms + 3 * day_ms;
    EXPECT_EQ(judge_reach("endpoint", seen).verdict, verdict::warning);
    seen.chain[0].not_before_ms = now_ms - day_ms;  // one that never lives long
    EXPECT_EQ(judge_reach("endpoint", seen).verdict, verdict::ok);
}

TEST(Reach, TheFirstThingThatIsWrongWithACertificateIsTold) {
    certificate shown = answered().chain[0];
    EXPECT_TRUE(holds(judge_reach("endpoint", refused(shown)).seen, "not trusted by the system's CAs"));
    shown.is_for_host = false;
    EXPECT_TRUE(holds(judge_reach("endpoint", refused(shown)).seen, "is for h, not for h"));
    shown.not_before_ms = now_ms + day_ms;
    EXPECT_TRUE(holds(judge_reach("endpoint", refused(shown)).cause, "clock"));
    shown.not_before_ms = 0;
    shown.not_after_ms = now_ms - day_ms;
    EXPECT_TRUE(holds(judge_reach("endpoint", refused(shown)).seen, "expired"));
}

TEST(Reach, ClocksMayDifferByHalfAMinute) {
    reach seen = answered();
    for (const auto& [skew_ms, expected] :
         {std::pair{29'000, verdict::ok}, std::pair{-29'000, verdict::ok}, std::pair{31'000, verdict::warning},
          std::pair{-299'000, verdict::warning}, std::pair{300'000, verdict::failed},
          std::pair{-300'000, verdict::failed}}) {
        seen.peer_ms = now_ms - skew_ms;
        EXPECT_EQ(judge_reach("endpoint", seen).verdict, expected) << skew_ms;
    }
}

TEST(Reach, EachFaultHasItsOwnWords) {
    reach seen = answered();
    std::vector<std::string> causes;
    for (const http::fault what : {http::fault::resolve, http::fault::connect, http::fault::timeout,
                                   http::fault::tls_handshake, http::fault::other}) {
        seen.answer.fault = what;
        const step found = judge_reach("endpoint", seen);
        EXPECT_EQ(found.verdict, verdict::failed);
        EXPECT_FALSE(found.fix.empty());
        for (const std::string& other : causes) EXPECT_NE(found.cause, other);
        causes.push_back(found.cause);
    }
}

}  // namespace
}  // namespace gputide::doctor
