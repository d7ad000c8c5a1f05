// Steady ticks allocate nothing, and a state stays small.  operator new of this program counts.
#include "allocations.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/trace/report.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::decide {
namespace {

// A day of polls every 15 s with a load that goes up and down, each decision applied.
std::int64_t allocations_of_a_day(const policy& by, std::int64_t* events = nullptr) {
    state with = make_state(by);
    std::vector<sample> samples(by.metrics.size(), scene::value(0));
    std::int32_t replicas = 1;
    const auto tick = [&](std::int64_t i) {
        for (std::size_t m = 0; m < samples.size(); ++m) {
            samples[m].value = static_cast<double>(20 + (i * 7 + static_cast<std::int64_t>(m) * 3) % 60);
        }
        observation seen;
        seen.now_ms = scene::start_ms + i * 15'000;
        seen.spec_replicas = replicas;
        seen.samples = samples;
        decision made = decide(by, with, seen);
        if (events != nullptr && made.desired_replicas != made.current_replicas) ++*events;
        replicas = made.desired_replicas;
        record_applied(by, with, made, seen.now_ms);
    };
    const std::int64_t before = bench::so_far().count;
    for (std::int64_t i = 0; i < 5760; ++i) tick(i);
    return bench::so_far().count - before;
}

TEST(Allocation, CountingWorks) {
    const std::int64_t before = bench::so_far().count;
    const std::vector<int> numbers(100);
    EXPECT_EQ(bench::so_far().count - before, 1);
    EXPECT_EQ(numbers.size(), 100U);
}

TEST(Allocation, NoneWithBehaviorAndOneTrigger) {
    policy by = scene::scaled_object(1, 20);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.behavior->down.window_s = 60;
    std::int64_t writes = 0;
    EXPECT_EQ(allocations_of_a_day(by, &writes), 0);
    EXPECT_GT(writes, 100);
    by.scaling.behavior->down.window_s = 300;
    EXPECT_EQ(allocations_of_a_day(by), 0);
}

TEST(Allocation, NoneWithoutBehavior) { EXPECT_EQ(allocations_of_a_day(scene::scaled_object(1, 20)), 0); }

TEST(Allocation, NoneWithThreeTriggersAndAFormula) {
    manifest::scaling spec = scene::scaled_object(1, 20).scaling;
    spec.modifiers =
        manifest::scaling_modifiers{"a > 50 ? max([a, b, c]) : a + b", "5", "", manifest::target_type::average_value};
    spec.behavior = scene::default_behavior();
    std::vector<metric_policy> metrics;
    for (const char* name : {"a", "b", "c"}) {
        metrics.push_back(scene::metric(std::string("s-") + name, 1000));
        metrics.back().user_name = name;
    }
    const result<policy> by = make_policy(spec, metrics);
    ASSERT_TRUE(by.ok());
    EXPECT_EQ(allocations_of_a_day(*by), 0);
}

TEST(Allocation, NoneWithTheRulesBeyondTheOriginals) {
    policy by = scene::scaled_object(1, 40);
    by.scaling.extra.in_flight_guard = true;
    by.scaling.extra.confirm_k = 2;
    by.scaling.extra.confirm_n = 3;
    by.scaling.extra.group_size = 2;
    by.scaling.extra.max_gpus_milli = 30'000;
    EXPECT_EQ(allocations_of_a_day(by), 0);
}

TEST(Allocation, NoneWithAForecast) {
    policy by = scene::scaled_object(1, 40);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.extra.confirm_k = 2;
    by.scaling.extra.confirm_n = 3;
    by.scaling.extra.forecast.mode = manifest::forecast_mode::act;
    by.scaling.extra.forecast.warmup_ms = 3'600'000;
    const result<policy> made = make_policy(by.scaling, by.metrics);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(allocations_of_a_day(*made), 0);
}

TEST(Allocation, NoneForReportsInReusedMemory) {
    policy by = scene::scaled_object(1, 20);
    by.scaling.name = "a-name-that-is-longer-than-a-short-string";
    by.scaling.behavior = scene::default_behavior();
    state with = make_state(by);
    report_buffer buffer;
    trace steps;
    std::size_t written = 0;
    const auto report = [&](std::int64_t tick) {
        const std::vector<sample> samples(1, scene::value(20));
        observation seen;
        seen.now_ms = scene::start_ms + tick * 15'000;
        seen.spec_replicas = 4;
        seen.samples = samples;
        const std::int64_t before = bench::so_far().count;
        const decision made = decide(by, with, seen, &steps);
        written = write_report(buffer, by, made, &steps).size();
        return bench::so_far().count - before;
    };
    std::int64_t tick = 0;
    while (tick < 40) report(tick++);  // the memory of the report and of the window grows
    for (; tick < 140; ++tick) EXPECT_EQ(report(tick), 0);
    EXPECT_GT(written, 1'000U);
}

TEST(Allocation, AStateWithDefaultWindowsTakesAKibibyteAtMost) {
    policy by = scene::scaled_object(1, 20);
    by.scaling.behavior = scene::default_behavior();
    const std::int64_t before = bench::so_far().bytes;
    const state fresh = make_state(by);
    const std::int64_t heap = bench::so_far().bytes - before;
    EXPECT_LE(heap + static_cast<std::int64_t>(sizeof fresh), 1024);
}

}  // namespace
}  // namespace gputide::decide
