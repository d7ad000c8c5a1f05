// Section 9 of gputide.h from outside: the three ways to drive a runtime, and what each function refuses.
#include "gputide/gputide.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <poll.h>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t first_ms = 1795255200000;

gputide::observation three_replicas(std::int64_t now_ms, double value = 42.5) {
    return gputide::observation{}.at(now_ms).current(3).sample(gputide::value_sample(value));
}

// All threads start at once.
gputide::runtime_options at_once() { return gputide::runtime_options{}.start_spread_ms(1); }

TEST(Runtime, ByStepsOnTheHostsClock) {
    gputide::runtime runtime(at_once());
    const std::uint64_t id = runtime.add(pushed_manifest);
    EXPECT_EQ(runtime.step(first_ms), std::numeric_limits<std::int64_t>::max());
    runtime.observe(id, three_replicas(first_ms));
    const std::int64_t next_ms = runtime.step(first_ms);
    auto got = runtime.next_event(0);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->id(), id);
    EXPECT_EQ(got->name(), "default/demo");
    EXPECT_EQ(got->decision.desired(), 6);
    // The time of the step itself counts as passed: on a busy machine it asks to be called that much earlier.
    constexpr std::int64_t busy_ms = 1'000;
    EXPECT_LE(next_ms, first_ms + 15'000);
    EXPECT_GE(next_ms, first_ms + 15'000 - busy_ms);
    runtime.record(id, got->decision, true, first_ms + 1);
    EXPECT_FALSE(runtime.next_event(0));
    const std::int64_t second_ms = first_ms + 15'000 + busy_ms / 2;  // due, whatever the first step took
    EXPECT_LE(std::abs(runtime.step(second_ms) - (second_ms + 15'000)), busy_ms);
    got = runtime.next_event(0);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->decision.current(), 6);
    EXPECT_EQ(got->sequence(), 2U);
    EXPECT_NE(runtime.stats().find("\"polls\":2"), std::string::npos) << runtime.stats();
    EXPECT_NE(runtime.describe(id).find("\"observed\":true"), std::string::npos);
}

TEST(Runtime, APollMayWaitForTheHost) {
    gputide::runtime runtime(at_once().flags(GPUTIDE_RUNTIME_OBSERVE_FIRST | GPUTIDE_RUNTIME_REPORTS));
    const std::uint64_t id = runtime.add(pushed_manifest);
    runtime.step(first_ms);
    auto got = runtime.next_event(0);
    ASSERT_TRUE(got && got->is_due());
    EXPECT_EQ(got->name(), "default/demo");
    EXPECT_TRUE(got->report.empty());
    runtime.observe(id, three_replicas(first_ms));
    runtime.step(first_ms + 1'000);  // the host took its time to look
    got = runtime.next_event(0);
    ASSERT_TRUE(got && !got->is_due());
    EXPECT_EQ(got->decision.desired(), 6);
    EXPECT_FALSE(got->report.empty());
}

TEST(Runtime, ByAThreadOfItsOwn) {
    gputide::runtime runtime(at_once());
    runtime.start();
    EXPECT_THROW(runtime.start(), gputide::failure);
    EXPECT_THROW(runtime.step(first_ms), gputide::failure);
    const std::uint64_t id = runtime.add(pushed_manifest);
    runtime.observe(id, three_replicas(system_ms()));
    const auto got = runtime.next_event(10'000);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->decision.desired(), 6);
    runtime.stop(10'000);
    runtime.stop(10'000);
    EXPECT_NO_THROW(runtime.step(system_ms()));
    runtime.start();
}

TEST(Runtime, ByWhoeverWaitsForAnEvent) {
    gputide::runtime runtime(at_once());
    runtime.observe(runtime.add(pushed_manifest), three_replicas(system_ms()));
    EXPECT_TRUE(runtime.next_event(10'000));
    EXPECT_FALSE(runtime.next_event(10));
}

bool readable(int descriptor, int timeout_ms) {
    pollfd ready{descriptor, POLLIN, 0};
    return ::poll(&ready, 1, timeout_ms) == 1;
}

TEST(Runtime, ByTheHostsLoopThroughOneDescriptor) {
    gputide::runtime runtime(at_once());
    const int descriptor = runtime.wake_fd();
    EXPECT_EQ(runtime.wake_fd(), descriptor);
    runtime.step(system_ms());
    EXPECT_FALSE(readable(descriptor, 0));
    runtime.observe(runtime.add(pushed_manifest), three_replicas(system_ms()));
    EXPECT_TRUE(readable(descriptor, 0)) << "a scaler waits for its first step";
    runtime.step(system_ms());
    EXPECT_TRUE(readable(descriptor, 0)) << "an event waits";
    EXPECT_TRUE(runtime.next_event(0));
    EXPECT_FALSE(readable(descriptor, 0));

    runtime.start();
    const std::uint64_t second = runtime.add(
        std::string(pushed_manifest).replace(std::string(pushed_manifest).find("\"demo\""), 6, "\"second\""));
    EXPECT_FALSE(readable(descriptor, 50)) << "the thread drives; nothing for the host";
    runtime.observe(second, three_replicas(system_ms()));
    EXPECT_TRUE(readable(descriptor, 10'000));
    EXPECT_TRUE(runtime.next_event(0));
    EXPECT_FALSE(readable(descriptor, 0));
}

TEST(Runtime, AWaitCanBeCancelled) {
    for (const bool own_thread : {false, true}) {
        gputide::runtime runtime;
        if (own_thread) runtime.start();
        const gputide::cancel stop;
        std::thread firing([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            stop.fire();
        });
        auto event = sized<gputide_event>();
        EXPECT_EQ(gputide_runtime_next_event(runtime.get(), 60'000, stop.get(), &event, nullptr, nullptr, nullptr),
                  GPUTIDE_E_CANCELLED);
        firing.join();
    }
}

// One of two waiting calls drives; the other's cancel is its own.
TEST(Runtime, AWaitBehindAnotherCanBeCancelled) {
    gputide::runtime runtime;
    const gputide::cancel stops[2];
    std::thread waiting[2];
    for (int i : {0, 1}) {
        waiting[i] = std::thread([&, i] {
            auto event = sized<gputide_event>();
            EXPECT_EQ(
                gputide_runtime_next_event(runtime.get(), 20'000, stops[i].get(), &event, nullptr, nullptr, nullptr),
                GPUTIDE_E_CANCELLED);
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (int i : {1, 0}) {
        stops[i].fire();
        waiting[i].join();
    }
}

TEST(Runtime, ScalersComeAndGoFromManyThreadsWhileItRuns) {
    gputide::runtime runtime(at_once());
    runtime.start();
    std::atomic<int> added{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                std::string text = pushed_manifest;
                text.replace(text.find("\"demo\""), 6, "\"demo-" + std::to_string(t) + "-" + std::to_string(i) + "\"");
                const std::uint64_t id = runtime.add(text);
                runtime.observe(id, three_replicas(system_ms()));
                ++added;
                if (i % 3 == 0) runtime.replace(id, text);
                if (i % 2 == 0) runtime.remove(id);
                runtime.stats();
            }
        });
    }
    // Each that stays tells its first decision; a replacement drops the one that waits, and the next comes a period later.
    constexpr int never_replaced = 4 * 17;
    int events = 0;
    while (events < never_replaced && runtime.next_event(10'000)) ++events;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(added, 200);
    EXPECT_EQ(events, never_replaced);
    EXPECT_NE(runtime.stats().find("\"scalers\":100,"), std::string::npos) << runtime.stats();
}

TEST(Runtime, StateSurvivesARestart) {
    gputide::runtime first(at_once());
    const std::uint64_t id = first.add(pushed_manifest);
    first.observe(id, three_replicas(first_ms));
    first.step(first_ms);
    const std::string saved = first.save(id);
    gputide::runtime second;
    const std::uint64_t other = second.add(pushed_manifest);
    second.load(other, saved);
    EXPECT_EQ(without_random_id(second.save(other)), without_random_id(saved));
    EXPECT_EQ(second.find("default/demo"), other);
}

// The result and the error of a call.
struct answer {
    gputide_status status = GPUTIDE_OK;
    std::string message;
};

template <class Function, class... Arguments>
answer answer_of(Function f, Arguments... arguments) {
    auto err = sized<gputide_error>();
    const gputide_status status = f(arguments..., &err);
    return {status, err.message};
}

void expect_refused(const answer& got, gputide_status status, const char* part) {
    EXPECT_EQ(got.status, status) << part << ": " << got.message;
    EXPECT_NE(got.message.find(part), std::string::npos) << got.message;
}

TEST(Runtime, SaysWhatIsNotThere) {
    gputide::runtime runtime;
    uint64_t id = 0;
    for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()}) {
        expect_refused(answer_of(gputide_runtime_remove, runtime.get(), none), GPUTIDE_E_NOT_FOUND,
                       ("scaler " + std::to_string(none) + ": no such id").c_str());
    }
    expect_refused(answer_of(gputide_runtime_find, runtime.get(), "default/none", &id), GPUTIDE_E_NOT_FOUND,
                   "default/none");
    expect_refused(answer_of(gputide_runtime_next_scaler, runtime.get(), std::uint64_t{0}, &id), GPUTIDE_E_NOT_FOUND,
                   "no further scaler");
    EXPECT_EQ(id, 0U) << "nothing is written on failure";
    EXPECT_STREQ(gputide_status_name(GPUTIDE_E_NOT_FOUND), "E_NOT_FOUND");
}

TEST(Runtime, SaysWhatItRefuses) {
    gputide::runtime runtime;
    uint64_t id = 0;
    const auto add = [&](gputide_runtime* handle) {
        return answer_of(gputide_runtime_add, handle, pushed_manifest, std::int64_t{GPUTIDE_TEXT},
                         static_cast<const gputide_options*>(nullptr), std::uint64_t{0}, &id);
    };
    expect_refused(add(nullptr), GPUTIDE_E_INVALID, "runtime: NULL");
    runtime.add(pushed_manifest);
    expect_refused(add(runtime.get()), GPUTIDE_E_INVALID, "already exists");
    auto event = sized<gputide_event>();
    const auto next_event = [&](std::int32_t timeout_ms) {
        return answer_of(gputide_runtime_next_event, runtime.get(), timeout_ms,
                         static_cast<const gputide_cancel*>(nullptr), &event, static_cast<gputide_decision*>(nullptr),
                         static_cast<gputide_text*>(nullptr));
    };
    EXPECT_EQ(next_event(0).status, GPUTIDE_E_NO_DATA);
    expect_refused(next_event(-2), GPUTIDE_E_INVALID, "timeout_ms is -2");
    expect_refused(answer_of(gputide_runtime_stop, runtime.get(), -2), GPUTIDE_E_INVALID, "timeout_ms is -2");
    expect_refused(answer_of(gputide_runtime_close, runtime.get(), -2), GPUTIDE_E_INVALID, "timeout_ms is -2");
    EXPECT_EQ(next_event(0).status, GPUTIDE_E_NO_DATA) << "what was refused closed nothing";
    gputide_runtime_free(nullptr);
}

TEST(Runtime, NamesTheOptionThatIsOutOfRange) {
    const auto opened = [](auto set) {
        auto options = sized<gputide_runtime_options>();
        set(options);
        gputide_runtime* runtime = nullptr;
        const answer out = answer_of(gputide_runtime_new, &options, &runtime);
        EXPECT_EQ(runtime, nullptr);
        return out;
    };
    using options = gputide_runtime_options;
    expect_refused(opened([](options& o) { o.max_in_flight = -1; }), GPUTIDE_E_INVALID, "max_in_flight");
    expect_refused(opened([](options& o) { o.poll_timeout_ms = -1; }), GPUTIDE_E_INVALID, "poll_timeout_ms");
    expect_refused(opened([](options& o) { o.gather_ms = 1'001; }), GPUTIDE_E_INVALID, "gather_ms is 1001");
    expect_refused(opened([](options& o) { o.breaker_cap_ms = 999; }), GPUTIDE_E_INVALID, "breaker_cap_ms is 999");
    expect_refused(opened([](options& o) { o.flags = 1U << 31U; }), GPUTIDE_E_TOO_NEW, "flag");
}

TEST(Runtime, ANumberWithoutASize) {
    gputide::runtime runtime(at_once());
    const std::uint64_t id = runtime.add(pushed_manifest);
    runtime.observe(id, gputide::observation{}.at(first_ms).current(3));
    runtime.push(id, {gputide::value_sample(42.5)});
    runtime.step(first_ms);
    const auto got = runtime.next_event(0);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->decision.desired(), 6);
    EXPECT_THROW(runtime.push(id, {}), gputide::failure);
    EXPECT_THROW(runtime.push(id, {gputide::value_sample(1), gputide::value_sample(2)}), gputide::failure);
}

TEST(Runtime, TheHostsTagAndTheOrderOfScalers) {
    gputide::runtime runtime(at_once());
    const std::uint64_t id = runtime.add(pushed_manifest, {}, 0xFEEDFACECAFEBEEF);
    EXPECT_EQ(runtime.next_scaler(), id);
    EXPECT_FALSE(runtime.next_scaler(id));
    runtime.observe(id, three_replicas(first_ms));
    runtime.step(first_ms);
    auto got = runtime.next_event(0);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->tag(), 0xFEEDFACECAFEBEEF);
    runtime.replace(id, pushed_manifest, {}, 7);
    EXPECT_NE(runtime.describe(id).find("\"tag\":7,"), std::string::npos) << runtime.describe(id);
    runtime.replace(id, pushed_manifest);
    EXPECT_NE(runtime.describe(id).find("\"tag\":7,"), std::string::npos) << runtime.describe(id);
}

TEST(Runtime, AWriteIsRecordedOnce) {
    gputide::runtime runtime(at_once());
    const std::uint64_t id = runtime.add(pushed_manifest);
    runtime.observe(id, three_replicas(first_ms));
    runtime.step(first_ms);
    auto got = runtime.next_event(0);
    ASSERT_TRUE(got);
    gputide::decision fabricated = got->decision;
    fabricated.c.desired_replicas = 7;
    const auto record = [&](gputide::decision& decision) {
        return answer_of(gputide_runtime_record, runtime.get(), id, &decision.c, std::int32_t{1}, first_ms + 1);
    };
    expect_refused(record(fabricated), GPUTIDE_E_STATE, "");
    EXPECT_EQ(record(got->decision).status, GPUTIDE_OK);
    expect_refused(record(got->decision), GPUTIDE_E_STATE, "recorded");
}

TEST(Runtime, KindsOfEventsHaveNames) {
    EXPECT_STREQ(gputide_event_kind_name(GPUTIDE_EVENT_DECISION), "decision");
    EXPECT_STREQ(gputide_event_kind_name(GPUTIDE_EVENT_DUE), "due");
    EXPECT_STREQ(gputide_event_kind_name(0), "unknown");
}

TEST(Runtime, ClosedItRefusesEverythingAndSaysSo) {
    gputide::runtime runtime(at_once());
    runtime.start();
    const std::uint64_t id = runtime.add(pushed_manifest);
    std::atomic<gputide_status> waited{GPUTIDE_OK};
    std::thread waiting([&] {
        auto event = sized<gputide_event>();
        waited = gputide_runtime_next_event(runtime.get(), GPUTIDE_FOREVER, nullptr, &event, nullptr, nullptr, nullptr);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    runtime.close(60'000);
    waiting.join();
    // A call that came too late to wait was refused.
    EXPECT_TRUE(waited == GPUTIDE_E_CANCELLED || waited == GPUTIDE_E_STATE) << waited;
    uint64_t found = 0;
    auto event = sized<gputide_event>();
    owned_text text;
    const gputide::observation three = three_replicas(first_ms);
    const gputide_observation observation = three.view();
    expect_refused(answer_of(gputide_runtime_remove, runtime.get(), id), GPUTIDE_E_STATE, "closed");
    expect_refused(answer_of(gputide_runtime_next_scaler, runtime.get(), std::uint64_t{0}, &found), GPUTIDE_E_STATE,
                   "closed");
    expect_refused(answer_of(gputide_runtime_observe, runtime.get(), id, &observation), GPUTIDE_E_STATE, "closed");
    expect_refused(answer_of(gputide_runtime_stats, runtime.get(), &text.value), GPUTIDE_E_STATE, "closed");
    expect_refused(answer_of(gputide_runtime_start, runtime.get()), GPUTIDE_E_STATE, "closed");
    expect_refused(answer_of(gputide_runtime_stop, runtime.get(), 0), GPUTIDE_E_STATE, "closed");
    expect_refused(answer_of(gputide_runtime_step, runtime.get(), first_ms, static_cast<std::int64_t*>(nullptr)),
                   GPUTIDE_E_STATE, "closed");
    EXPECT_EQ(gputide_runtime_next_event(runtime.get(), 0, nullptr, &event, nullptr, nullptr, nullptr),
              GPUTIDE_E_STATE);
    runtime.close(0);
}

TEST(Runtime, AHostsLoopFindsOutThatItWasClosed) {
    gputide::runtime runtime;
    const int descriptor = runtime.wake_fd();
    runtime.step(system_ms());
    EXPECT_FALSE(readable(descriptor, 0));
    runtime.close(60'000);
    EXPECT_TRUE(readable(descriptor, 0));
}

}  // namespace
