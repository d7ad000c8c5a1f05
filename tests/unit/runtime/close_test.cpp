// The end of a runtime: waiting calls are sent away, calls inside are waited for, a server that says nothing holds nothing up.
#include "driver_support.hpp"
#include "fleet_support.hpp"
#include "runtime/driver/driver.hpp"
#include "support/fault_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace gputide::runtime {
namespace {

using testing::connection;
using testing::fault_server;

std::int64_t steady_now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// As every entry of the C API does it.
status waits_for_event(driver& runtime) {
    const call_count::call inside(runtime.calls());
    if (!inside) return status::state;
    const auto event = runtime.next_event(forever_ms, nullptr);
    return event ? status::ok : event.failure().status;
}

void add_asking(driver& runtime, const std::string& server) {
    const auto id = runtime.scalers().add(world::spec_of(manifest("demo", prometheus(server, "up"))), {});
    ASSERT_TRUE(id);
    decide::observation observation;
    observation.now_ms = 1'760'000'000'000;
    observation.spec_replicas = 1;
    ASSERT_TRUE(runtime.scalers().observe(*id, observation));
}

TEST(Close, SendsAwayWhoWaitsHoweverTheRuntimeIsDriven) {
    for (const bool own_thread : {false, true}) {
        const auto runtime = opened();
        if (own_thread) {
            ASSERT_TRUE(runtime->start());
        }
        std::atomic<int> cancelled{0};
        std::vector<std::thread> waiting;
        for (int i = 0; i < 3; ++i) {
            waiting.emplace_back([&] { cancelled += waits_for_event(*runtime) == status::cancelled ? 1 : 0; });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_TRUE(runtime->close(test_timeout_ms));
        for (std::thread& thread : waiting) thread.join();
        EXPECT_EQ(cancelled, 3);
        EXPECT_EQ(waits_for_event(*runtime), status::state) << "no call is let in any more";
        EXPECT_EQ(runtime->start().failure().status, status::state);
        EXPECT_TRUE(runtime->close(0)) << "it may be repeated";
    }
}

TEST(Close, TwoAtOnce) {
    for (int round = 0; round < 20; ++round) {
        const auto runtime = opened();
        ASSERT_TRUE(runtime->start());
        std::thread waiting([&] { waits_for_event(*runtime); });
        std::vector<std::thread> closing;
        for (int i = 0; i < 2; ++i) closing.emplace_back([&] { EXPECT_TRUE(runtime->close(test_timeout_ms)); });
        for (std::thread& thread : closing) thread.join();
        waiting.join();
    }
}

TEST(Close, WhileAPollHangsOnASilentServer) {
    for (const bool own_thread : {false, true}) {
        fault_server silent([](connection& peer) {
            while (peer.read_request()) peer.pause(test_timeout_ms);
        });
        const auto runtime = opened();
        add_asking(*runtime, silent.url(""));
        std::thread waiting;
        if (own_thread) {
            ASSERT_TRUE(runtime->start());
        } else {
            waiting = std::thread([&] { waits_for_event(*runtime); });
        }
        while (silent.requests() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::int64_t began_ms = steady_now_ms();
        EXPECT_TRUE(runtime->close(test_timeout_ms));
        EXPECT_LT(steady_now_ms() - began_ms, 5'000) << "a poll's deadline is 10 s";
        EXPECT_EQ(runtime->scalers().stats().polls_in_flight, 0U);
        if (waiting.joinable()) waiting.join();
    }
}

// A call that does not come back in time: the deadline holds, and the next close finds it gone.
TEST(Close, HasADeadline) {
    const auto runtime = opened();
    auto inside = std::make_unique<call_count::call>(runtime->calls());
    ASSERT_TRUE(*inside);
    for (const std::int64_t timeout_ms : {0, 10}) {
        const auto closed = runtime->close(timeout_ms);
        ASSERT_FALSE(closed);
        EXPECT_EQ(closed.failure().status, status::timeout);
    }
    inside.reset();
    EXPECT_TRUE(runtime->close(0));
}

}  // namespace
}  // namespace gputide::runtime
