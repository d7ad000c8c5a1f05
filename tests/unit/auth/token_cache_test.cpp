// The cache with a credential that the test controls: renewal ahead, one acquisition for all callers, waiting
// after failures, refusals by the resource, and all of it from many threads.
#include "acquiring.hpp"
#include "auth/credential.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace gputide::auth {
namespace {

using test::no_deadline;

class exchange_of_test final : public http::exchange {
  public:
    void cancel() override { cancelled = true; }
    std::atomic<bool> cancelled{false};
};

// Acquisitions wait until the test answers them.
class held_credential final : public credential {
  public:
    held_credential()
        : credential("held", {}, [this](const auto& under_way, const std::string&) {
              const std::lock_guard lock(guard);
              ++acquisitions;
              deadlines.push_back(under_way->deadline_ms());
              waiting.push_back(under_way->finisher());
              last = std::make_shared<exchange_of_test>();
              under_way->carry(last);
          }) {}

    void answer(result<token> got) {
        token_done done;
        {
            const std::lock_guard lock(guard);
            done = std::move(waiting.front());
            waiting.pop_front();
        }
        done(std::move(got));
    }

    std::mutex guard;
    int acquisitions = 0;
    std::vector<std::int64_t> deadlines;
    std::deque<token_done> waiting;
    std::shared_ptr<exchange_of_test> last;
};

class Cache : public ::testing::Test {
  protected:
    // A caller that is never told keeps itself alive: its outcome the exchange, the exchange its callback; so does an acquisition.
    void TearDown() override {
        for (const auto& entry : begun) {
            if (const auto exchange = entry.lock()) exchange->cancel();
        }
        loop->run_until_idle();
        from->waiting.clear();
    }

    // The result of a get(); empty while it waits.
    struct outcome {
        std::optional<result<token>> got;
        int times = 0;
        std::shared_ptr<http::exchange> exchange;
        std::string text() const {
            return !got   ? "waiting"
                   : *got ? std::string((**got).value.reveal())
                          : std::string(class_word(got->failure().error_class));
        }
    };

    std::shared_ptr<outcome> ask(std::int64_t deadline_ms = no_deadline) {
        auto out = std::make_shared<outcome>();
        out->exchange = cache.get(from, "scope", deadline_ms, [out](result<token> got) {
            out->got = std::move(got);
            ++out->times;
        });
        EXPECT_EQ(out->times, 0) << "never inside the call";
        begun.push_back(out->exchange);
        return out;
    }

    token life(const std::string& value, std::int64_t refresh_s, std::int64_t usable_s) const {
        token out;
        out.value = secret_text(value);
        out.issued_at_ms = loop->wall_ms();
        out.issued_at_steady_ms = loop->steady_ms();
        out.refresh_at_ms = out.issued_at_ms + refresh_s * 1000;
        out.usable_until_ms = out.issued_at_ms + usable_s * 1000;
        out.expires_at_ms = out.usable_until_ms + 60'000;
        return out;
    }

    void fill(const std::string& value = "ONE") {
        ask();
        from->answer(life(value, 3299, 3539));
    }

    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    std::shared_ptr<held_credential> from = std::make_shared<held_credential>();
    token_cache cache{loop};
    std::vector<std::weak_ptr<http::exchange>> begun;
};

TEST_F(Cache, ServesUntilTheRenewalTime) {
    fill();
    loop->advance(3'298'999);
    const auto got = ask();
    loop->advance(0);
    EXPECT_EQ(got->text(), "ONE");
    EXPECT_EQ(from->acquisitions, 1);
}

TEST_F(Cache, TheStarterOfARenewalGetsTheNewTokenOthersTheOld) {
    fill();
    loop->advance(3'299'000);
    const auto starter = ask();
    const auto other = ask();
    loop->advance(0);
    EXPECT_EQ(from->acquisitions, 2);
    EXPECT_EQ(starter->text(), "waiting");
    EXPECT_EQ(other->text(), "ONE");
    from->answer(life("TWO", 3299, 3539));
    EXPECT_EQ(starter->text(), "TWO");
    loop->run_until_idle();
    EXPECT_EQ(starter->times, 1);
}

TEST_F(Cache, ASlowRenewalCostsNobodyAGoodToken) {
    fill();
    loop->advance(3'299'000);
    const auto starter = ask();
    loop->advance(1'000);
    EXPECT_EQ(starter->text(), "ONE");
    const auto hurried = ask(loop->steady_ms() + 10);
    loop->advance(0);
    EXPECT_EQ(hurried->text(), "ONE");
    EXPECT_EQ(from->acquisitions, 2);
}

TEST_F(Cache, AFailedRenewalWaitsThirtySeconds) {
    fill();
    loop->advance(3'299'000);
    const auto starter = ask();
    from->answer(fail(error_class::permanent, "no"));
    EXPECT_EQ(starter->text(), "ONE");
    loop->advance(29'999);
    ask();
    EXPECT_EQ(from->acquisitions, 2);
    loop->advance(1);
    ask();
    EXPECT_EQ(from->acquisitions, 3);
}

TEST_F(Cache, BehindItsEndCallersWaitOrFail) {
    fill();
    loop->advance(3'539'000);
    const auto got = ask();
    loop->advance(1'000);
    EXPECT_EQ(got->text(), "waiting");
    from->answer(fail(error_class::permanent, "no"));
    EXPECT_EQ(got->text(), "permanent");
}

TEST_F(Cache, AWallClockSetBackStretchesNothing) {
    fill();
    loop->advance(3'600'000);
    loop->set_wall_ms(1'760'000'000'000 - 86'400'000);
    const auto got = ask();
    loop->advance(0);
    EXPECT_EQ(got->text(), "waiting");
}

TEST_F(Cache, OneAcquisitionForAllCallers) {
    std::vector<std::shared_ptr<outcome>> callers;
    callers.reserve(16);
    for (int i = 0; i < 16; ++i) callers.push_back(ask());
    EXPECT_EQ(from->acquisitions, 1);
    callers[3]->exchange->cancel();
    from->answer(life("ONE", 10, 20));
    for (std::size_t i = 0; i < callers.size(); ++i) EXPECT_EQ(callers[i]->times, i == 3 ? 0 : 1) << i;
}

TEST_F(Cache, ACancelledServedCallerIsNotTold) {
    fill();
    const auto got = ask();
    got->exchange->cancel();
    loop->run_until_idle();
    EXPECT_EQ(got->times, 0);
}

TEST_F(Cache, ADeadlineReleasesItsCallerAlone) {
    const auto waiting = ask(loop->steady_ms() + 10'000);
    const auto hurried = ask(loop->steady_ms() + 500);
    loop->advance(500);
    EXPECT_EQ(hurried->text(), "timeout");
    EXPECT_NE(hurried->got->failure().message.find("deadline"), std::string::npos);
    from->answer(life("ONE", 10, 20));
    EXPECT_EQ(waiting->text(), "ONE");
    EXPECT_EQ(hurried->times, 1);
}

TEST_F(Cache, TheStartersDeadlineIsNotTheOthers) {
    const auto starter = ask(loop->steady_ms() + 500);
    const auto waiting = ask(loop->steady_ms() + 10'000);
    error why = fail(error_class::transient, "503");
    why.past_deadline = true;
    from->answer(why);
    EXPECT_EQ(starter->text(), "transient");
    EXPECT_EQ(waiting->text(), "waiting");
    ASSERT_EQ(from->acquisitions, 2);
    EXPECT_EQ(from->deadlines[1], loop->steady_ms() + 10'000);
    from->answer(life("ONE", 10, 20));
    EXPECT_EQ(waiting->text(), "ONE");
}

TEST_F(Cache, PropagationIsRememberedForAMinute) {
    ask();
    from->answer(fail(error_class::propagation, "700213"));
    const auto soon = ask();
    loop->advance(0);
    EXPECT_EQ(soon->text(), "propagation");
    EXPECT_EQ(from->acquisitions, 1);
    loop->advance(60'000);
    ask();
    EXPECT_EQ(from->acquisitions, 2);
}

TEST_F(Cache, ThrottlingIsRememberedUntilItsTimeOthersNot) {
    ask();
    error throttled = fail(error_class::throttled, "429");
    throttled.retry_at_ms = loop->wall_ms() + 120'000;
    from->answer(throttled);
    loop->advance(119'999);
    ask();
    EXPECT_EQ(from->acquisitions, 1);
    loop->advance(1);
    ask();
    from->answer(fail(error_class::permanent, "no"));
    ask();
    EXPECT_EQ(from->acquisitions, 3);
}

TEST_F(Cache, ARequestLoopIsRemembered) {
    ask();
    from->answer(fail(error_class::request_loop, "loop"));
    loop->advance(59'999);
    ask();
    EXPECT_EQ(from->acquisitions, 1);
}

TEST_F(Cache, ARefusedTokenIsDroppedOnceInThirtySeconds) {
    fill();
    EXPECT_TRUE(cache.report_refused(*from, "scope", "OLDER")) << "another one is there already";
    loop->advance(0);
    EXPECT_TRUE(cache.report_refused(*from, "scope", "ONE"));
    EXPECT_TRUE(cache.report_refused(*from, "scope", "ONE")) << "dropped already: a repeat gets another one";
    const auto next = ask();
    from->answer(life("TWO", 3299, 3539));
    EXPECT_EQ(next->text(), "TWO");
    loop->advance(29'999);
    EXPECT_FALSE(cache.report_refused(*from, "scope", "TWO"));
    loop->advance(1);
    EXPECT_TRUE(cache.report_refused(*from, "scope", "TWO"));
    EXPECT_EQ(from->acquisitions, 2);
}

TEST_F(Cache, ScopesAreEntriesOfTheirOwn) {
    fill();
    cache.get(from, "another", no_deadline, [](const result<token>&) {});
    EXPECT_EQ(from->acquisitions, 2);
}

TEST(CacheLife, EndsWhatIsInTheAir) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    const auto from = std::make_shared<held_credential>();
    int told = 0;
    {
        token_cache cache{loop};
        cache.get(from, "scope", no_deadline, [&told](const result<token>&) { ++told; });
    }
    loop->run_until_idle();
    EXPECT_TRUE(from->last->cancelled);
    from->answer(fail(error_class::permanent, "late"));
    loop->run_until_idle();
    EXPECT_EQ(told, 0);
}

// Sixteen threads ask, refuse and cancel while one drives the loop.
TEST(CacheThreads, ManyCallersOneDriver) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    std::atomic<int> acquisitions{0};
    const auto from = make_credential("quick", {}, [&acquisitions](const auto& under_way, const std::string&) {
        const int number = ++acquisitions;
        const http::loop& on = under_way->loop();
        token out;
        out.value = secret_text("T" + std::to_string(number));
        out.issued_at_ms = on.wall_ms();
        out.issued_at_steady_ms = on.steady_ms();
        out.refresh_at_ms = out.issued_at_ms + 3'600'000;
        out.usable_until_ms = out.refresh_at_ms;
        under_way->finish_after(5, out);
    });
    token_cache cache{loop};
    constexpr int threads = 16;
    constexpr int rounds = 50;
    std::atomic<int> told{0};
    std::atomic<int> cancelled{0};
    std::vector<std::thread> callers;
    callers.reserve(threads);
    for (int t = 0; t < threads; ++t) {
        callers.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const auto entry = http::post<result<token>>(
                    *loop, [&](token_done done) { return cache.get(from, "scope", no_deadline, std::move(done)); },
                    [&told](const result<token>& got) {
                        if (got) ++told;
                    });
                if (t == 0 && i % 10 == 0) cache.report_refused(*from, "scope", "T1");
                if (t == 1) {
                    entry->cancel();
                    ++cancelled;
                }
            }
        });
    }
    EXPECT_TRUE(loop->run_while_others_send([&] { return told >= (threads - 1) * rounds; }));
    for (auto& caller : callers) caller.join();
    loop->run_until_idle();
    EXPECT_EQ(cancelled, rounds);
    EXPECT_LE(told, threads * rounds);
    EXPECT_LE(acquisitions, 2) << "one refusal in thirty seconds";
}

}  // namespace
}  // namespace gputide::auth
