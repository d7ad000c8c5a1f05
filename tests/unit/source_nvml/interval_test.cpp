// Values over the time between two polls, against the true share of a load in bursts.
#include "source/gpu/driver.hpp"
#include "support/fake_nvml.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gputide::source::nvml {
namespace {

class Interval : public ::testing::Test {
  protected:
    testing::fake_nvml machine;
    driver gpus{[this] { return testing::load_fake(machine); }, testing::clock_of(machine)};
    std::shared_ptr<past_readings> past = std::make_shared<past_readings>();

    measured read(std::string_view metric, const std::shared_ptr<past_readings>& of) {
        const auto got = gpus.read({quantity_named(metric), {}, 0, {}, of});
        EXPECT_TRUE(got && got->values.size() == 1) << metric;
        return got && got->values.size() == 1 ? got->values[0] : measured();
    }
    measured read(std::string_view metric = "gpu_utilization") { return read(metric, past); }

    // The largest difference to the true share of each interval.
    double worst_error(std::int64_t poll_ms, int polls) {
        double out = 0.0;
        read();
        for (int i = 0; i < polls; ++i) {
            const std::int64_t from_us = machine.time_us;
            machine.pass_ms(poll_ms);
            const double truth = 100 * machine.gpus[0]->load.share(from_us, machine.time_us);
            out = std::max(out, std::abs(read().value - truth));
        }
        return out;
    }
};

TEST_F(Interval, GpmGivesTheTrueShareWhateverThePeriod) {
    auto& gpu = machine.add("GPU-0");
    for (const std::int64_t period_ms : {200, 700, 1'000, 5'000}) {
        for (const double duty : {0.05, 0.4, 0.95}) {
            gpu.load = {period_ms * 1'000, duty};
            for (const std::int64_t poll_ms : {1'000, 5'000, 15'000}) {
                EXPECT_LT(worst_error(poll_ms, 20), 0.01) << period_ms << " ms, " << duty << ", each " << poll_ms;
                past->clear();
            }
        }
    }
}

// Polls as other readers do today: a poll at a multiple of the period sees one phase of it.
TEST_F(Interval, TheSingleSampleDoesNot) {
    machine.has_gpm = machine.has_samples = false;
    machine.add("GPU-0").load = {1'000'000, 0.4};
    EXPECT_GT(worst_error(2'000, 20), 39.0);
}

TEST_F(Interval, TheDriversSamplesAreTheNextBest) {
    machine.has_gpm = false;
    machine.add("GPU-0").load = {1'000'000, 0.4};
    EXPECT_LT(worst_error(5'000, 20), 3.0);
    const measured got = read();
    EXPECT_EQ(got.read_by, read_by::driver_samples);
}

TEST_F(Interval, APollLongerThanTheBufferSaysSo) {
    machine.has_gpm = false;
    machine.add("GPU-0").load = {1'000'000, 0.4};
    read();
    machine.pass_ms(60'000);
    const measured got = read();
    EXPECT_NEAR(got.value, 40.0, 3.0);
    EXPECT_EQ(got.interval_ms, 14'200);
    EXPECT_NE(got.note.find("the last 14.2s, and the last poll was 1m ago"), std::string::npos) << got.note;
    machine.pass_ms(5'000);
    EXPECT_EQ(read().note, "");
}

TEST_F(Interval, TwoReadersOfTheBufferDoNotDisturbEachOther) {
    machine.has_gpm = false;
    machine.add("GPU-0").load = {4'000'000, 0.5};
    const auto other = std::make_shared<past_readings>();
    read();
    read("gpu_utilization", other);
    machine.pass_ms(2'000);
    read("gpu_utilization", other);
    machine.pass_ms(2'000);
    const double second_half = read("gpu_utilization", other).value;
    EXPECT_NEAR(read().value, 50.0, 3.0);
    EXPECT_TRUE(std::abs(second_half) < 1.0 || std::abs(second_half - 100.0) < 1.0) << second_half;
}

TEST_F(Interval, AClockThatGoesBackIsSaid) {
    machine.has_gpm = false;
    machine.add("GPU-0").load = {1'000'000, 0.4};
    read();
    machine.host_offset_us = -3'600'000'000;
    machine.pass_ms(5'000);
    const measured got = read();
    EXPECT_NEAR(got.value, 40.0, 3.0);
    EXPECT_NE(got.note.find("set back"), std::string::npos) << got.note;
    machine.pass_ms(5'000);
    EXPECT_EQ(read().note, "");
}

TEST_F(Interval, APollWithinOneSampleGivesTheNewestOne) {
    machine.has_gpm = false;
    machine.add("GPU-0").busy = 60;
    read();
    machine.pass_ms(1);
    const measured got = read();
    EXPECT_EQ(got.value, 60.0);
    EXPECT_EQ(got.note, "");
}

TEST_F(Interval, TheFirstPollHasAnIntervalOfItsOwn) {
    machine.add("GPU-0").load = {200'000, 0.4};
    const std::int64_t before_us = machine.time_us;
    const measured got = read("sm_active");
    EXPECT_EQ(got.read_by, read_by::gpm);
    EXPECT_EQ(got.interval_ms, 200);
    EXPECT_NEAR(got.value, 30.0, 0.01);  // 75 % of the SMs for 40 % of the time
    EXPECT_EQ(machine.time_us - before_us, 200'000);
    // gpu_utilization has the driver's samples of the last 14 s at once.
    EXPECT_EQ(read("gpu_utilization", std::make_shared<past_readings>()).interval_ms, 14'200);
    EXPECT_EQ(machine.time_us - before_us, 200'000);
}

TEST_F(Interval, APollTooSoonLooksBackFurther) {
    machine.add("GPU-0").load = {1'000'000, 0.4};
    read("sm_active");
    machine.pass_ms(10'000);
    EXPECT_EQ(read("sm_active").interval_ms, 10'000);
    machine.pass_ms(150);
    EXPECT_EQ(read("sm_active").interval_ms, 10'150);
    machine.pass_ms(850);
    EXPECT_EQ(read("sm_active").interval_ms, 1'000);
}

TEST_F(Interval, ScalersThatPollTogetherReadAGpuOnce) {
    for (int i = 0; i < 8; ++i) machine.add("GPU-" + std::to_string(i)).load = {1'000'000, 0.4};
    std::vector<std::shared_ptr<past_readings>> scalers(64);
    for (auto& scaler : scalers) scaler = std::make_shared<past_readings>();
    const auto poll = [&] {
        for (const auto& scaler : scalers) EXPECT_TRUE(gpus.read({quantity_named("sm_active"), {}, 0, {}, scaler}));
    };
    const std::int64_t before_us = machine.time_us;
    poll();
    EXPECT_EQ(machine.time_us - before_us, 200'000) << "each new scaler waited";
    EXPECT_EQ(machine.gpm_takes, 16);
    machine.gpm_takes = 0;
    machine.pass_ms(15'000);
    poll();
    EXPECT_EQ(machine.gpm_takes, 8);
}

TEST_F(Interval, LeaksNoSample) {
    for (int i = 0; i < 2; ++i) machine.add("GPU-" + std::to_string(i)).load = {1'000'000, 0.4};
    for (int i = 0; i < 1'000; ++i) {
        machine.pass_ms(1'000);
        EXPECT_TRUE(gpus.read({quantity_named("gpu_utilization"), {}, i * 1'000, {}, past}));
    }
    EXPECT_LE(machine.gpm_live, 2 * 3);
}

TEST(IntervalEnd, FreesEverySampleAndEventSet) {
    testing::fake_nvml machine;
    machine.add("GPU-0").load = {1'000'000, 0.4};
    auto past = std::make_shared<past_readings>();
    {
        driver gpus([&machine] { return testing::load_fake(machine); }, testing::clock_of(machine));
        EXPECT_TRUE(gpus.read({quantity_named("sm_active"), {}, 0, {}, past}));
        EXPECT_TRUE(gpus.read({quantity_named("unhealthy"), {}, 0, {}, past}));
        EXPECT_EQ(machine.event_sets, 1);
    }
    past = nullptr;
    EXPECT_EQ(machine.gpm_live, 0);
    EXPECT_EQ(machine.event_sets, 0);
}

TEST_F(Interval, InstancesHaveValuesOfTheirOwn) {
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 0, "MIG-a", 7).load = {1'000'000, 0.3};
    machine.add_instance(whole, 3, "MIG-b", 9).load = {1'000'000, 0.8};
    machine.pass_ms(1'000);
    EXPECT_EQ(gpus.read({quantity_named("gpu_utilization"), {}, 0, {}, past})->values.size(), 2U);
    machine.pass_ms(10'000);
    const auto got = gpus.read({quantity_named("gpu_utilization"), {}, 0, {}, past});
    ASSERT_TRUE(got && got->values.size() == 2);
    EXPECT_NEAR(got->values[0].value, 30.0, 0.01);
    EXPECT_NEAR(got->values[1].value, 80.0, 0.01);
}

TEST_F(Interval, WithoutThePermissionForGpmTheDriversSamplesDo) {
    auto& gpu = machine.add("GPU-0");
    gpu.load = {1'000'000, 0.4};
    gpu.gpm_says = no_permission;
    read();
    machine.pass_ms(10'000);
    const measured got = read();
    EXPECT_EQ(got.read_by, read_by::driver_samples);
    EXPECT_NEAR(got.value, 40.0, 3.0);
}

TEST_F(Interval, ARateIsInBytesAndAMissingLinkIsNotAnError) {
    auto& gpu = machine.add("GPU-0");
    gpu.load = {1'000'000, 0.5};
    gpu.has_nvlink = false;
    read("pcie_receive_bytes_per_second");
    machine.pass_ms(10'000);
    EXPECT_NEAR(read("pcie_receive_bytes_per_second").value, 100 * 1'048'576.0, 1.0);
    const auto got = gpus.read({quantity_named("nvlink_receive_bytes_per_second"), {}, 0, {}, past});
    ASSERT_TRUE(got && got->values.empty() && got->failures.size() == 1);
    EXPECT_EQ(got->failures[0].said, not_supported);
}

TEST_F(Interval, PowerIsTheEnergyBetweenThePolls) {
    auto& gpu = machine.add("GPU-0");
    gpu.load = {1'000'000, 0.4};
    gpu.milliwatts = 700'000;
    gpu.idle_milliwatts = 100'000;
    EXPECT_EQ(read("power_average_watts").read_by, read_by::single_sample);
    machine.pass_ms(10'000);
    const measured got = read("power_average_watts");
    EXPECT_NEAR(got.value, 340.0, 0.5);  // 0.4 × 700 + 0.6 × 100
    EXPECT_EQ(got.read_by, read_by::energy_counter);
    EXPECT_EQ(got.interval_ms, 10'000);
    const auto other = std::make_shared<past_readings>();
    read("power_ratio", other);
    machine.pass_ms(10'000);
    EXPECT_NEAR(read("power_ratio", other).value, 340.0 / 700.0, 0.001);
}

TEST_F(Interval, HealthNamesItsReasons) {
    auto& gpu = machine.add("GPU-0");
    EXPECT_EQ(read("unhealthy").value, 0.0);
    machine.xids = {{&gpu, 13}, {&gpu, 79}};  // 13 is a fault of the program
    measured got = read("unhealthy");
    EXPECT_EQ(got.value, 1.0);
    EXPECT_EQ(got.labels, (extra_labels{{"reasons", "xid=79"}}));
    gpu.ecc_errors = 2;
    EXPECT_EQ(read("unhealthy").labels[0].second, "uncorrected_ecc=2,xid=79");
    EXPECT_EQ(read("throttled").value, 0.0);  // idle is not throttled
    gpu.clock_reasons = 0x4 | 0x40;
    got = read("throttled");
    EXPECT_EQ(got.value, 1.0);
    EXPECT_EQ(got.labels[0].second, "sw_power_cap,hw_thermal_slowdown");
}

TEST_F(Interval, ALostGpuIsUnhealthyAndNotMissing) {
    machine.add("GPU-0").opens = gpu_is_lost;
    const measured got = read("unhealthy");
    EXPECT_EQ(got.value, 1.0);
    EXPECT_EQ(got.labels[0].second, "lost");
}

}  // namespace
}  // namespace gputide::source::nvml
