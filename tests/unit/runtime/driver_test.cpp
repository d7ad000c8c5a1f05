// A fleet over real sockets, driven in each of the three ways, with servers that answer, hang or are not there.
#include "runtime/driver/driver.hpp"

#include "driver_support.hpp"
#include "fleet_support.hpp"
#include "http/loop.hpp"
#include "runtime/log.hpp"
#include "support/failing_allocation.hpp"
#include "support/fault_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <poll.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gputide::runtime {
namespace {

using testing::connection;
using testing::fault_server;
using testing::plain_answer;

std::int64_t system_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

fault_server::script answering_value(double value) {
    return testing::answering([value](const std::string&) { return plain_answer(vector_answer(value)); });
}

// Polled each second.
scaler_id add(driver& to, const std::string& name, const std::string& server) {
    manifest::spec spec = world::spec_of(manifest(name, prometheus(server, "up{model='" + name + "'}")));
    spec.scaling.extra.sync_period_ms = 1'000;
    const auto id = to.scalers().add(spec, {});
    EXPECT_TRUE(id) << (id ? "" : id.failure().message);
    decide::observation seen;
    seen.now_ms = system_ms();
    seen.spec_replicas = 1;
    EXPECT_TRUE(to.scalers().observe(*id, seen));
    return *id;
}

// The next event, by its scaler's name; "": none came.
std::string next_name(driver& from) {
    auto got = from.next_event(test_timeout_ms, nullptr);
    return got && *got ? (*got)->name : "";
}

TEST(Driver, ADeadEndpointKeepsNobodyElseWaiting) {
    fault_server alive(answering_value(42.5));
    fault_server hangs([](connection& peer) {
        while (peer.read_request()) peer.pause(test_timeout_ms);
    });
    fleet_options with;
    with.poll_timeout_ms = 2 * test_timeout_ms;  // a hanging request is not reported in this test
    const auto driver = opened(with);
    for (int i = 0; i < 100; ++i) add(*driver, "stuck-" + std::to_string(i), hangs.url(""));
    std::set<std::string> expected;
    for (int i = 0; i < 40; ++i) {
        expected.insert("default/alive-" + std::to_string(i));
        add(*driver, "alive-" + std::to_string(i), alive.url(""));
    }
    ASSERT_TRUE(driver->start());
    std::set<std::string> told;
    while (told.size() < expected.size()) {
        const std::string name = next_name(*driver);
        ASSERT_FALSE(name.empty());
        told.insert(name);
    }
    EXPECT_EQ(told, expected);
    EXPECT_GE(alive.requests(), 40);
    EXPECT_LE(hangs.max_at_once(), 64) << "most_per_endpoint";
    EXPECT_TRUE(driver->stop(test_timeout_ms)) << "a server that does not answer does not delay the stop";
}

TEST(Driver, ByStepsWithTheDescriptor) {
    fault_server alive(answering_value(42.5));
    const auto driver = opened();
    const auto descriptor = driver->descriptor();
    ASSERT_TRUE(descriptor);
    add(*driver, "demo", alive.url(""));
    const std::int64_t end_ms = system_ms() + test_timeout_ms;
    std::optional<fleet_event> got;
    while (!got && system_ms() < end_ms) {
        pollfd ready{*descriptor, POLLIN, 0};
        ASSERT_EQ(::poll(&ready, 1, static_cast<int>(test_timeout_ms)), 1) << "the descriptor tells when there is work";
        ASSERT_TRUE(driver->step(system_ms()));
        got = driver->scalers().take_event();
    }
    ASSERT_TRUE(got);
    EXPECT_EQ(got->name, "default/demo");
    EXPECT_EQ(got->decision.desired_replicas, 4) << "1 replica may become 4 in the first 15 s";
}

TEST(Driver, ByWhoeverWaitsWhileTheEndpointComesBack) {
    std::atomic<int> asked{0};
    fault_server limps([&](connection& peer) {
        while (peer.read_request()) {
            if (++asked < 3) return peer.reset();  // the poll and its one repeat
            if (!peer.send(plain_answer(vector_answer(42.5)))) return;
        }
    });
    const auto driver = opened();
    const scaler_id id = add(*driver, "demo", limps.url(""));
    auto got = driver->next_event(test_timeout_ms, nullptr);
    ASSERT_TRUE(got && *got);
    EXPECT_TRUE((*got)->decision.error) << "the first poll failed, and the host is told";
    EXPECT_EQ(driver->scalers().stats().errors.count("E_UNAVAILABLE"), 1U);
    decide::observation again;
    again.now_ms = system_ms();
    again.spec_replicas = 1;
    ASSERT_TRUE(driver->scalers().observe(id, again));
    got = driver->next_event(test_timeout_ms, nullptr);
    ASSERT_TRUE(got && *got);
    EXPECT_FALSE((*got)->decision.error);
    EXPECT_GT((*got)->decision.desired_replicas, 1);
}

// A lack of memory is said once a minute at most, and never lost.

struct memory_notice_test : ::testing::Test {
    memory_notice_test() {
        log_sink sink;
        sink.level = log_level::error;
        sink.write = [this](log_level, const char* line) { lines.emplace_back(line); };
        set_log(std::move(sink));
    }
    ~memory_notice_test() override { set_log({}); }

    memory_notice notice;
    std::vector<std::string> lines;
};

TEST_F(memory_notice_test, says_each_shortage_once_a_minute) {
    notice.look(0);
    EXPECT_TRUE(lines.empty()) << "nothing has failed";
    for (int i = 0; i < 3; ++i) http::note_failed_allocation();
    notice.look(1'000);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].find("runtime: 3 allocations failed for lack of memory"), 0U) << lines[0];
    http::note_failed_allocation();
    notice.look(60'999);
    EXPECT_EQ(lines.size(), 1U) << "a minute has not passed";
    notice.look(61'000);
    ASSERT_EQ(lines.size(), 2U) << "nothing is lost meanwhile";
    EXPECT_EQ(lines[1].find("runtime: 1 allocations"), 0U) << lines[1];
    notice.look(200'000);
    EXPECT_EQ(lines.size(), 2U);
}

TEST_F(memory_notice_test, says_it_later_where_the_line_finds_no_memory) {
    lines.reserve(8);
    http::note_failed_allocation();
    int number = 0;
    while (testing::lacks_allocation(number, [this] { notice.look(0); }) && lines.empty()) ++number;
    EXPECT_GT(number, 0) << "the line takes memory";
    EXPECT_EQ(lines.size(), 1U) << "said by the first look that found memory";
}

// The end of a runtime: waiting calls are sent away, calls inside are waited for, a server that says nothing holds nothing up.

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
