// The stand-in keeps the contract of loop.hpp, so that what passes over it also works over the real client.
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace gputide::testing {
namespace {

http::request get(std::string url) {
    http::request out;
    out.url = std::move(url);
    return out;
}

TEST(ScriptedLoop, AnswersInOrderAndNeverInsideSend) {
    scripted_loop loop;
    loop.answer_next(scripted(200, "one"));
    loop.answer_next(scripted(200, "two"));
    std::vector<std::string> seen;
    const auto keep = [&](const http::answer& got) { seen.push_back(got.response.body + got.fault_text); };
    loop.send(get("https://a/"), 2'000'000, keep);
    loop.send(get("https://b/"), 2'000'000, keep);
    loop.send(get("https://c/"), 2'000'000, keep);
    EXPECT_TRUE(seen.empty());
    loop.run_until_idle();
    EXPECT_EQ(seen, (std::vector<std::string>{"one", "two", "no scripted answer for GET https://c/"}));
    EXPECT_EQ(loop.requests().at(1).what.url, "https://b/");
    EXPECT_EQ(loop.requests().at(1).deadline_ms, 2'000'000);
}

TEST(ScriptedLoop, MovesBothClocksToEachEvent) {
    scripted_loop loop;
    loop.set_steady_ms(100);
    loop.set_wall_ms(5'000);
    std::vector<std::int64_t> at;
    loop.after(30, [&] { at.push_back(loop.wall_ms()); });
    loop.after(10, [&] { at.push_back(loop.wall_ms()); });
    loop.advance(20);
    EXPECT_EQ(at, std::vector<std::int64_t>{5'010});
    EXPECT_EQ(loop.steady_ms(), 120);
    loop.run_until_idle();
    EXPECT_EQ(at.back(), 5'030);
    EXPECT_EQ(loop.delays(), (std::vector<std::int64_t>{30, 10}));
}

TEST(ScriptedLoop, FrozenClocksStandStill) {
    scripted_loop loop;
    loop.freeze_clocks(true);
    const auto before = loop.steady_ms();
    bool fired = false;
    loop.after(5'000, [&] { fired = true; });
    EXPECT_EQ(loop.run_until_idle(), 1U);
    EXPECT_TRUE(fired);
    EXPECT_EQ(loop.steady_ms(), before);
}

TEST(ScriptedLoop, ALateAnswerMeetsTheEarlierLimit) {
    scripted_loop loop;
    http::fault seen{};
    const auto keep = [&](const http::answer& got) { seen = got.fault; };
    loop.answer_with([](const http::request&) {
        scripted_answer late = scripted(200);
        late.delay_ms = 50'000;
        return late;
    });
    loop.send(get("https://a/"), loop.steady_ms() + 1'000, keep);
    loop.run_until_idle();
    EXPECT_EQ(seen, http::fault::deadline);
    http::request quick = get("https://a/");
    quick.attempt_timeout_ms = 10;
    loop.send(quick, loop.steady_ms() + 1'000, keep);
    loop.run_until_idle();
    EXPECT_EQ(seen, http::fault::timeout);
}

TEST(ScriptedLoop, RefusesWhatTheTransportRefuses) {
    scripted_loop loop;
    http::request what = get("http://prom.example/");
    what.carries_credential = true;
    http::fault seen{};
    loop.send(what, 2'000'000, [&](const http::answer& got) { seen = got.fault; });
    loop.run_until_idle();
    EXPECT_EQ(seen, http::fault::not_allowed);
    EXPECT_TRUE(loop.requests().empty());
}

TEST(ScriptedLoop, TakesCallersFromManyThreads) {
    scripted_loop loop;
    loop.answer_with([](const http::request&) { return scripted(200); });
    std::atomic<int> answered{0};
    std::vector<std::thread> callers;
    callers.reserve(8);
    for (int i = 0; i < 8; ++i) {
        callers.emplace_back(
            [&] { loop.send(get("https://a/"), 2'000'000, [&](const http::answer&) { ++answered; }); });
    }
    EXPECT_TRUE(loop.run_while_others_send([&] { return answered == 8; }));
    for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace gputide::testing
