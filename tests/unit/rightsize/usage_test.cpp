// Samples of units into one usage, and the text that survives a restart.
#include "rightsize/usage.hpp"

#include "times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace gputide::rightsize;

namespace {

constexpr amount gib = 1'073'741'824;

usage_rules gpu_rules() {
    usage_rules out;
    out.peaks = {3'600'000, {1.2, gib}, true};
    return out;
}

usage_sample sample(std::int64_t minutes, double busy, amount bytes, std::uint32_t unit = 0) {
    return {unit, start_ms + minutes * minute_ms, busy, bytes};
}

usage filled(const usage_rules& by, unsigned seed, int count) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> busy(0.0, 100.0);
    std::uniform_int_distribution<amount> bytes(0, 80 * gib);
    usage out(by);
    for (int i = 0; i < count; ++i)
        add(out, by, sample(i, busy(random), bytes(random), static_cast<std::uint32_t>(i % 3)));
    return out;
}

TEST(usage, takes_what_is_newer_and_a_number) {
    const usage_rules by = gpu_rules();
    usage usage(by);
    EXPECT_TRUE(add(usage, by, sample(1, 50.0, gib)).busy);
    EXPECT_FALSE(add(usage, by, sample(1, 50.0, gib)).busy);  // a repetition
    EXPECT_TRUE(add(usage, by, sample(1, 50.0, gib)).memory);
    EXPECT_FALSE(add(usage, by, sample(0, 50.0, gib)).memory);
    EXPECT_FALSE(add(usage, by, sample(2, std::numeric_limits<double>::quiet_NaN(), gib)).busy);
    EXPECT_FALSE(add(usage, by, sample(3, -1.0, -1)).memory);
    EXPECT_EQ(usage.seen.samples, 1);
}

TEST(usage, sees_a_model_loaded_after_an_idle_start) {
    const usage_rules by = gpu_rules();
    usage usage(by);
    add(usage, by, sample(0, 0.0, 0));
    add(usage, by, sample(1, 90.0, 40 * gib));
    EXPECT_GT(usage.memory.percentile(0.5), 40.0 * gib);
}

TEST(usage, keeps_units_apart) {
    const usage_rules by = gpu_rules();
    usage gathered(by);
    for (std::uint32_t unit = 0; unit < 4; ++unit) add(gathered, by, sample(0, 10.0, 10 * gib, unit));
    usage alone(by);
    add(alone, by, sample(0, 10.0, 10 * gib));
    EXPECT_DOUBLE_EQ(gathered.memory.total(),
                     4 * alone.memory.total());  // each has a peak of its own
    EXPECT_EQ(gathered.seen.samples, 4);
    EXPECT_EQ(gathered.units.size(), 4U);
}

TEST(usage, repeated_ooms_do_not_run_away) {
    const usage_rules by = gpu_rules();
    usage usage(by);
    add(usage, by, sample(0, 10.0, 60 * gib));
    for (int i = 1; i < 10; ++i) EXPECT_TRUE(add_oom(usage, by, 0, start_ms + i * minute_ms, 0));
    EXPECT_LT(usage.memory.percentile(1.0), 60.0 * gib * 1.2 * 1.06);
    EXPECT_EQ(usage.ooms, 9);
}

class restarts : public testing::TestWithParam<unsigned> {};

TEST_P(restarts, go_on_as_if_there_was_none) {
    const usage_rules by = gpu_rules();
    usage gathered = filled(by, GetParam(), 3'000);
    auto loaded = load_usage(save_usage(gathered, by, start_ms), by);
    ASSERT_TRUE(loaded) << loaded.failure().message;
    usage& other = *loaded;
    EXPECT_EQ(other.seen.samples, gathered.seen.samples);
    EXPECT_EQ(other.seen.first_ms, gathered.seen.first_ms);
    EXPECT_EQ(other.seen.last_ms, gathered.seen.last_ms);
    ASSERT_EQ(other.units.size(), gathered.units.size());
    std::mt19937 random(GetParam());
    std::uniform_int_distribution<amount> bytes(0, 80 * gib);
    for (int i = 3'000; i < 4'000; ++i) {  // the same samples are taken by both, in the same windows
        const usage_sample next = sample(i, 70.0, bytes(random), static_cast<std::uint32_t>(i % 3));
        const usage_taken a = add(gathered, by, next);
        const usage_taken b = add(other, by, next);
        EXPECT_EQ(a.busy, b.busy);
        EXPECT_EQ(a.memory, b.memory);
        EXPECT_EQ(gathered.units[next.unit].memory.end_ms, other.units[next.unit].memory.end_ms);
        EXPECT_EQ(gathered.units[next.unit].memory.peak(), other.units[next.unit].memory.peak());
    }
    for (const double p : {0.5, 0.9, 0.95})
        EXPECT_NEAR(other.memory.percentile(p) / gathered.memory.percentile(p), 1.0, 0.051);
}

TEST_P(restarts, refuse_any_damage) {
    const usage_rules by = gpu_rules();
    const std::string text = save_usage(filled(by, GetParam(), 200), by, start_ms);
    ASSERT_TRUE(load_usage(text, by));
    for (std::size_t at = 1; at < text.size(); at += 7) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_FALSE(load_usage(damaged, by)) << at;
        EXPECT_FALSE(load_usage(std::string_view(text).substr(0, at), by)) << at;
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, restarts, testing::Range(1U, 5U));

// Every bucket in use with weights that take all digits, and 8 GPUs.
TEST(checkpoint, fits_4_kib_at_worst) {
    const usage_rules by = gpu_rules();
    usage usage(by);
    for (std::int32_t bucket = 0; bucket < utilization_layout.count; ++bucket)
        usage.busy.add(start_of(utilization_layout, bucket), 0.9999 - bucket * 1e-4, start_ms);
    for (std::int32_t bucket = 0; bucket < memory_layout.count; ++bucket)
        usage.memory.add(start_of(memory_layout, bucket) * 1.01, 0.9999 - bucket * 1e-4, start_ms);
    for (std::uint32_t unit = 0; unit < 8; ++unit) add(usage, by, sample(0, 99.0, 80 * gib, unit));
    const std::string text = save_usage(usage, by, start_ms);
    EXPECT_LE(text.size(), 4'096U);
    RecordProperty("bytes", static_cast<int>(text.size()));
}

TEST(checkpoint, of_another_profile_is_refused) {
    usage_rules by = gpu_rules();
    const std::string text = save_usage(filled(by, 1, 100), by, start_ms);
    by.half_life_ms /= 2;
    EXPECT_FALSE(load_usage(text, by));
    by = gpu_rules();
    by.busy_buckets = &cpu_layout;
    EXPECT_FALSE(load_usage(text, by));
}

constexpr const char* vpa_checkpoint = R"(
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscalerCheckpoint
metadata: {name: web-app}
spec: {containerName: app, vpaObjectName: web}
status:
  version: v3
  lastUpdateTime: "2025-11-21T00:00:00Z"
  firstSampleStart: "2025-11-19T00:00:00Z"
  lastSampleStart: "2025-11-21T00:00:00Z"
  totalSamplesCount: 2880
  cpuHistogram: {referenceTimestamp: "2025-11-21T00:00:00Z", bucketWeights: {"0": 10000, "3": 500}, totalWeight: 12.5}
  memoryHistogram: {referenceTimestamp: "2025-11-21T00:00:00Z", bucketWeights: {"36": 10000}, totalWeight: 2}
)";

TEST(checkpoint, of_a_vpa_is_read) {
    usage_rules by;
    by.busy_buckets = &cpu_layout;
    const auto read = load_usage(vpa_checkpoint, by);
    ASSERT_TRUE(read) << read.failure().message;
    EXPECT_EQ(read->seen.samples, 2880);
    EXPECT_DOUBLE_EQ(read->busy.total(), 12.5);
    EXPECT_NEAR(read->memory.percentile(0.9), 1.016e9, 1e6);
}

TEST(checkpoint, says_which_version_it_cannot_read) {
    usage_rules by;
    std::string text = vpa_checkpoint;
    text.replace(text.find("v3"), 2, "v2");
    const auto read = load_usage(text, by);
    ASSERT_FALSE(read);
    EXPECT_NE(read.failure().message.find("unsupported checkpoint version v2"), std::string::npos);
    EXPECT_EQ(read.failure().status, gputide::status::state);
}

}  // namespace
