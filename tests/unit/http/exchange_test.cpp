// Tests what exchanges are put together with, over a scripted loop; and the one way in from another thread, over a real one.
#include "http/exchange.hpp"

#include "http/client.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

namespace gputide::http {
namespace {

constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

// A step that ends after a while with a text, and knows whether it was canceled.
struct sleeper final : exchange {
    sleeper(loop& loop, std::int64_t delay_ms, std::string text, callback<void(std::string)> done) : loop_(loop) {
        timer_ = loop.after(delay_ms, [text = std::move(text), done = std::move(done)] { done(std::string(text)); });
    }
    void cancel() override {
        loop_.cancel(timer_);
        cancelled = true;
    }

    bool cancelled = false;

  private:
    loop& loop_;
    ticket timer_ = 0;
};

class Exchange : public ::testing::Test {
  protected:
    callback<void(std::string)> into() {
        return [this](std::string text) { told.push_back(std::move(text)); };
    }
    starter<std::string> sleeps(std::int64_t delay_ms, std::string text) {
        return [this, delay_ms, text](callback<void(std::string)> done) {
            sleepers.push_back(std::make_shared<sleeper>(*loop, delay_ms, text, std::move(done)));
            return sleepers.back();
        };
    }

    std::vector<starter<std::string>> two_sleeps() {
        std::vector<starter<std::string>> out;
        out.push_back(sleeps(20, "a"));
        out.push_back(sleeps(10, "b"));
        return out;
    }

    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    std::vector<std::shared_ptr<sleeper>> sleepers;
    std::vector<std::string> told;
};

TEST_F(Exchange, StepsFollowEachOtherAndTheLastOneTells) {
    const auto all = std::make_shared<operation<std::string>>(*loop, no_deadline, into());
    all->carry(sleeps(10, "a")([&](const std::string& first) {
        all->carry(sleeps(10, "b")([all, first](const std::string& second) { all->finish(first + second); }));
    }));
    loop->advance(20);
    EXPECT_EQ(told, std::vector<std::string>{"ab"});
    EXPECT_TRUE(all->over());
    all->finish("again");
    EXPECT_EQ(told.size(), 1U) << "only the first outcome counts";
}

TEST_F(Exchange, CancelStopsTheStepAndItsTimerAndTellsNobody) {
    const auto all = std::make_shared<operation<std::string>>(*loop, no_deadline, into());
    all->carry(sleeps(10, "a")([all](std::string&& text) { all->finish(std::move(text)); }));
    all->finish_after(5, "late");
    all->cancel();
    EXPECT_TRUE(sleepers.front()->cancelled);
    all->carry(sleeps(10, "b")([](const std::string&) {}));
    EXPECT_TRUE(sleepers.back()->cancelled) << "what comes after the end is stopped at once";
    loop->run_until_idle();
    EXPECT_TRUE(told.empty());
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(Exchange, FinishAfterIsADeadlineWithItsAnswerReady) {
    const auto slow = std::make_shared<operation<std::string>>(*loop, no_deadline, into());
    slow->finish_after(5, "late");
    loop->advance(5);
    const auto quick = std::make_shared<operation<std::string>>(*loop, no_deadline, into());
    quick->finish_after(5, "late");
    quick->finish("early");
    loop->run_until_idle();
    EXPECT_EQ(told, (std::vector<std::string>{"late", "early"}));
}

TEST_F(Exchange, AllTellsWhenTheLastOneIsThereAndInTheirOrder) {
    std::vector<std::string> got;
    const auto keep = [&got](std::vector<std::string> values) { got = std::move(values); };
    const auto both = all<std::string>(*loop, two_sleeps(), keep);
    loop->advance(10);
    EXPECT_TRUE(got.empty());
    loop->advance(10);
    EXPECT_EQ(got, (std::vector<std::string>{"a", "b"}));
    bool none = false;
    all<std::string>(*loop, {}, [&none](const std::vector<std::string>& values) { none = values.empty(); });
    EXPECT_FALSE(none) << "never inside the call";
    loop->advance(0);
    EXPECT_TRUE(none);
}

TEST_F(Exchange, CancelledTogether) {
    const auto both = all<std::string>(*loop, two_sleeps(), [](const std::vector<std::string>&) { FAIL(); });
    loop->advance(10);
    both->cancel();
    EXPECT_TRUE(sleepers.front()->cancelled);
    loop->run_until_idle();
}

TEST_F(Exchange, WhatIsPostedStartsAndStopsOnTheLoop) {
    const auto first = post<std::string>(*loop, sleeps(10, "a"), into());
    EXPECT_TRUE(sleepers.empty()) << "not inside the call";
    loop->advance(0);
    ASSERT_EQ(sleepers.size(), 1U);
    first->cancel();
    EXPECT_FALSE(sleepers.front()->cancelled) << "nor the cancel";
    loop->advance(0);
    EXPECT_TRUE(sleepers.front()->cancelled);
    const auto never = post<std::string>(*loop, sleeps(10, "b"), into());
    never->cancel();
    const auto third = post<std::string>(*loop, sleeps(10, "c"), into());
    loop->run_until_idle();
    EXPECT_EQ(sleepers.size(), 2U);
    EXPECT_EQ(told, std::vector<std::string>{"c"});
}

// A waiter may leave before the end; what it lent to the operation is not touched afterwards.
TEST(Wait, LeavesNothingBehind) {
    const auto client = http::client::open();
    ASSERT_TRUE(client.ok());
    http::client& loop = **client;
    for (const std::int64_t timeout_ms : {0, 5, 20}) {
        std::string lent = "lent";
        const auto outcome = wait<std::string>(
            loop,
            [&](callback<void(std::string)> done) -> std::shared_ptr<exchange> {
                auto out = std::make_shared<operation<std::string>>(loop, no_deadline, std::move(done));
                out->after(50'000, [&lent, out] { out->finish(std::move(lent)); });
                return out;
            },
            loop.steady_ms() + timeout_ms - last_words_ms, nullptr);
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.failure().status, status::timeout);
        EXPECT_EQ(loop.next_due_ms(), -1) << "the timer is gone with it";
    }
}

TEST(Wait, AThrowOutOfTheStartIsTheWaitersOwn) {
    const auto client = http::client::open();
    ASSERT_TRUE(client.ok());
    starter<int> throws = [](const callback<void(int)>&) -> std::shared_ptr<exchange> {
        throw std::runtime_error("no");
    };
    EXPECT_THROW((void)wait<int>(**client, std::move(throws), no_deadline, nullptr), std::runtime_error);
    starter<int> works = [&](callback<void(int)> done) {
        auto out = std::make_shared<operation<int>>(**client, no_deadline, std::move(done));
        out->finish_soon(7);
        return out;
    };
    const auto outcome = wait<int>(**client, std::move(works), no_deadline, nullptr);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(*outcome, 7);
}

// Many threads wait on one client; operations of all of them run on whichever drives, one at a time.
TEST(Wait, FromManyThreads) {
    const auto client = http::client::open();
    ASSERT_TRUE(client.ok());
    int on_the_loop = 0;  // no lock: a data race here is a fault that ThreadSanitizer sees
    std::atomic<int> answered{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                const auto outcome = wait<int>(
                    **client,
                    [&](callback<void(int)> done) -> std::shared_ptr<exchange> {
                        ++on_the_loop;
                        auto out = std::make_shared<operation<int>>(**client, no_deadline, std::move(done));
                        out->finish_soon(1);
                        return out;
                    },
                    no_deadline, nullptr);
                if (outcome) answered += *outcome;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(answered, 200);
    EXPECT_EQ(on_the_loop, 200);
}

}  // namespace
}  // namespace gputide::http
