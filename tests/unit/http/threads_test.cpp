// Many threads on one client: whichever thread drives, all are served; a cancel or a deadline reaches a waiting thread at once.

#include "fetching.hpp"
#include "http/driver.hpp"
#include "http/exchange.hpp"
#include "support/fault_server.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <dlfcn.h>
#include <semaphore>
#include <thread>
#include <type_traits>
#include <vector>

namespace gputide::http {
namespace {

using testing::answering;
using testing::connection;
using testing::fault_server;
using testing::plain_answer;

fault_server::script never_answering() {
    return [](connection& peer) {
        peer.read_request();
        peer.pause(60'000);
    };
}

result<retried> blocking_get(client& on, const std::string& url, std::int64_t deadline_ms, const cancel_flag* cancel) {
    return wait<retried>(
        on, [&](auto done) { return send_with_retry(on, get(url), {}, deadline_ms, std::move(done)); }, deadline_ms,
        cancel);
}

void wait_for_requests(const fault_server& server, int count) {
    while (server.requests() < count) std::this_thread::yield();
}

TEST(Threads, ManyBlockOnOneClient) {
    fault_server server([](connection& peer) {
        int count = 0;
        while (peer.read_request()) {
            peer.pause(++count % 3);
            if (!peer.send(plain_answer("ok"))) return;
        }
    });
    const auto client = open_client();
    std::atomic<int> good{0};
    std::vector<std::thread> callers;
    callers.reserve(32);
    for (int i = 0; i < 32; ++i) {
        callers.emplace_back([&] {
            for (int k = 0; k < 10; ++k) {
                const auto got = blocking_get(*client, server.url(), client->steady_ms() + 30'000, nullptr);
                if (got && got->last.response.status == 200) ++good;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(good, 320);
}

// The first caller leads and is done at once; the others must not wait for a thread that has left.
TEST(Threads, TheLeadIsHandedOn) {
    fault_server server([](connection& peer) {
        while (const auto asked = peer.read_request()) {
            if (holds(*asked, "/slow")) peer.pause(300);
            if (!peer.send(plain_answer("ok"))) return;
        }
    });
    const auto client = open_client();
    std::atomic<int> good{0};
    std::vector<std::thread> callers;
    callers.reserve(8);
    for (int i = 0; i < 8; ++i) {
        callers.emplace_back([&, i] {
            const auto got = blocking_get(*client, server.url(i % 2 == 0 ? "/fast" : "/slow"),
                                          client->steady_ms() + 20'000, nullptr);
            if (got && got->last.response.status == 200) ++good;
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(good, 8);
}

TEST(Threads, CancelReachesTheLeaderAndAFollower) {
    fault_server server(never_answering());
    const auto client = open_client();
    cancel_flag first, second;
    const auto call = [&](const cancel_flag& flag) {
        const auto got = blocking_get(*client, server.url(), client->steady_ms() + 60'000, &flag);
        EXPECT_FALSE(got);
        if (!got) {
            EXPECT_EQ(got.failure().status, status::cancelled);
        }
    };
    std::thread leader([&] { call(first); });
    wait_for_requests(server, 1);
    std::thread follower([&] { call(second); });
    wait_for_requests(server, 2);
    second.fire();
    follower.join();
    first.fire();
    leader.join();
}

TEST(Threads, AFlagFiredBeforehandEndsTheWaitAtOnce) {
    fault_server server(never_answering());
    const auto client = open_client();
    cancel_flag flag;
    flag.fire();
    EXPECT_EQ(blocking_get(*client, server.url(), client->steady_ms() + 60'000, &flag).failure().status,
              status::cancelled);
    flag.reset();
    EXPECT_FALSE(flag.fired());
}

// A follower's own deadline holds although the leader waits for something else.
TEST(Threads, AFollowersDeadlineHolds) {
    fault_server server(never_answering());
    const auto client = open_client();
    cancel_flag flag;
    std::atomic<bool> is_over{false};
    std::thread leader([&] {
        (void)blocking_get(*client, server.url(), client->steady_ms() + 60'000, &flag);
        is_over = true;
    });
    wait_for_requests(server, 1);
    const auto got = blocking_get(*client, server.url(), client->steady_ms() + 200, nullptr);
    EXPECT_FALSE(is_over) << "the leader's deadline is a minute away";
    ASSERT_TRUE(got);  // the exchange itself tells what was late
    EXPECT_EQ(got->last.fault, fault::deadline);
    flag.fire();
    leader.join();
}

// An operation that never says a word is given up shortly after the deadline.
TEST(Threads, WaitGivesUpOnASilentOperation) {
    const auto client = open_client();
    struct silent final : exchange {
        bool cancelled = false;
        void cancel() override { cancelled = true; }
    };
    const auto operation = std::make_shared<silent>();
    const auto got = wait<int>(
        *client, [&](const auto&) -> std::shared_ptr<exchange> { return operation; }, client->steady_ms() + 50,
        nullptr);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::timeout);
    EXPECT_TRUE(operation->cancelled);
}

// A thread that owns the loop with step() and threads that block take turns without losing each other's wake-ups.
TEST(Threads, StepAndDriveShareTheLoop) {
    fault_server server(answering([](const std::string&) { return plain_answer("ok"); }));
    const auto client = open_client();
    std::atomic<bool> over{false};
    std::thread owner([&] {
        while (!over) client->step(50);
    });
    std::atomic<int> good{0};
    std::vector<std::thread> callers;
    callers.reserve(4);
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            for (int k = 0; k < 50; ++k) {
                const auto got = blocking_get(*client, server.url(), client->steady_ms() + 20'000, nullptr);
                if (got && got->last.response.status == 200) ++good;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    over = true;
    client->wake();
    owner.join();
    EXPECT_EQ(good, 200);
}

TEST(Threads, WakeEndsAStepEarly) {
    const auto client = open_client();
    const std::int64_t until_ms = client->steady_ms() + 60'000;
    std::thread stepping([&] { client->step(60'000); });
    client->wake();
    stepping.join();
    EXPECT_LT(client->steady_ms(), until_ms);
}

TEST(Threads, TimersSetAndCancelledFromEverywhere) {
    const auto client = open_client();
    std::atomic<int> fired{0};
    std::atomic<int> finished{0};
    std::vector<std::thread> setters;
    setters.reserve(4);
    for (int i = 0; i < 4; ++i) {
        setters.emplace_back([&] {
            for (int k = 0; k < 500; ++k) {
                client->after(k % 5, [&] { ++fired; });
                client->cancel(client->after(1'000, [&] { fired += 100'000; }));
            }
            ++finished;
        });
    }
    EXPECT_TRUE(client->drive([&] { return fired == 2'000; }, client->steady_ms() + 20'000)) << fired;
    for (std::thread& setter : setters) setter.join();
    EXPECT_EQ(client->next_due_ms(), -1);
}

// Tests that what works on the multi handle asks for the lead, which only the client gives, and only to the thread that drives.

static_assert(!std::is_default_constructible_v<lead> && !std::is_copy_constructible_v<lead>);
static_assert(!std::is_invocable_v<decltype(&driver::work), driver&>);
static_assert(!std::is_invocable_v<decltype(&driver::wait), driver&, std::int64_t>);
static_assert(!std::is_invocable_v<decltype(&driver::work_at_once), driver&>);
static_assert(!std::is_invocable_v<decltype(&driver::drop_all), driver&>);
static_assert(!std::is_invocable_v<decltype(&driven<multi>::with), driven<multi>&>);
static_assert(std::is_const_v<std::remove_reference_t<decltype(std::declval<driven<multi>&>().shared())>>);

TEST(Lead, ALookBesideADriveDoesNothing) {
    const auto client = *client::open();
    std::binary_semaphore inside(0), leave(0);
    std::atomic<bool> done{false};
    client->after(0, [&] {
        inside.release();
        leave.acquire();
        done = true;
    });
    std::thread driving([&] { client->drive([&] { return done.load(); }, client->steady_ms() + 60'000); });
    inside.acquire();
    EXPECT_FALSE(client->look());
    leave.release();
    driving.join();
    EXPECT_EQ(client->look(), -1);
}

}  // namespace

}  // namespace gputide::http

// SIGPIPE belongs to the host: no client touches it, whether it was used or not.  sigaction() of this program stands before the C
// library's (the test is linked with its symbols exported).

static std::atomic<int> changes{0};

extern "C" __attribute__((visibility("default"))) int sigaction(int number, const struct sigaction* wanted,
                                                                struct sigaction* before) {
    using setter = int (*)(int, const struct sigaction*, struct sigaction*);
    static const auto next = reinterpret_cast<setter>(dlsym(RTLD_NEXT, "sigaction"));
    if (number == SIGPIPE && wanted != nullptr) ++changes;
    return next(number, wanted, before);
}

namespace gputide::http {
namespace {

TEST(Signals, AClientThatWasNeverUsedLeavesSigpipeAlone) {
    changes = 0;
    open_client();
    EXPECT_EQ(changes, 0);
}

TEST(Signals, AClientThatWasUsedLeavesSigpipeAlone) {
    testing::fault_server server([](testing::connection& peer) {
        if (peer.read_request()) peer.send(testing::plain_answer("ok"));
    });
    changes = 0;
    EXPECT_EQ(fetch(*open_client(), get(server.url())).response.status, 200);
    EXPECT_EQ(changes, 0);
}

}  // namespace
}  // namespace gputide::http
