// Whole fetches of an nvml trigger on a driver of the tests' own.
#include "fetching.hpp"

namespace gputide {
namespace {

namespace nvml = source::nvml;
using testing::noon_ms;

class Nvml : public testing::nvml_fetching {};

TEST_F(Nvml, ReducesOverGpus) {
    machine.add("GPU-0").busy = 90;
    machine.add("GPU-1").busy = 40;
    const auto got = fetch();
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 65.0);
    EXPECT_EQ(got.sample.time_ms, noon_ms);
    EXPECT_TRUE(got.reading.series.empty());
    EXPECT_EQ(fetch({{"reduce", "max"}}).sample.value, 90.0);
    EXPECT_EQ(fetch({{"device", "1"}, {"scale", "0.5"}}).sample.value, 20.0);
}

TEST_F(Nvml, ShowsEverySeriesWithLabels) {
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 3, "MIG-a", 9).used = 20'000;
    wanted = source::detail::everything;
    const auto got = fetch({{"metric", "memory_used_ratio"}});
    ASSERT_EQ(got.reading.series.size(), 1U);
    const source::labels expected = {{"__name__", "memory_used_ratio"},
                                     {"gpu", "0"},
                                     {"UUID", "MIG-a"},
                                     {"modelName", "NVIDIA H100 80GB HBM3"},
                                     {"GPU_I_ID", "9"}};
    EXPECT_EQ(got.reading.series[0].labels, expected);
    EXPECT_EQ(got.sample.value, 20'000.0 / 79'000.0);
    EXPECT_EQ(opened({{"metric", "memory_used_ratio"}})->judge(got.reading).sample.value, got.sample.value);
}

TEST_F(Nvml, InstancesWithoutGpmHaveNoUtilization) {
    machine.has_gpm = false;
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 0, "MIG-a", 1);
    auto got = fetch();
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_NE(got.why.message.find("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), std::string::npos) << got.why.message;
    got = fetch({{"metric", "memory_copy_utilization"}});
    EXPECT_NE(got.why.message.find("Use gpu_utilization, dram_active or memory_used_ratio"), std::string::npos)
        << got.why.message;
    machine.add("GPU-1").busy = 30;
    gpus = std::make_shared<nvml::driver>([this] { return testing::load_fake(machine); }, testing::clock_of(machine));
    got = fetch();
    EXPECT_EQ(got.sample.value, 30.0);  // of the GPU that has it
    EXPECT_EQ(got.sample.read_by, read_by::driver_samples);
    EXPECT_EQ(got.reading.infos.size(), 2U);  // the way, and the instance
}

TEST_F(Nvml, SaysHowANumberWasRead) {
    auto& gpu = machine.add("GPU-0");
    gpu.load = {1'000'000, 0.4};
    const auto from = opened({});
    const auto poll = [&] {
        std::optional<source::fetched> out;
        const auto under_way = from->fetch(
            noon_ms, loop->steady_ms() + 10'000, [&](source::fetched got) { out = std::move(got); }, wanted);
        loop->run_until_idle();
        return out.value_or(source::fetched());
    };
    EXPECT_EQ(poll().sample.read_by, read_by::driver_samples);
    machine.pass_ms(15'000);
    const auto got = poll();
    EXPECT_EQ(got.sample.read_by, read_by::gpm);
    EXPECT_EQ(got.sample.interval_ms, 15'000);
    EXPECT_NEAR(got.sample.value, 40.0, 1e-6);
    ASSERT_EQ(got.reading.infos.size(), 1U);
    EXPECT_EQ(got.reading.infos[0], "gpu_utilization: averaged over 15s by GPM (1 value)");
    EXPECT_TRUE(got.reading.warnings.empty());
}

TEST_F(Nvml, ASingleSampleIsAWarning) {
    machine.has_gpm = machine.has_samples = false;
    machine.add("GPU-0").busy = 97;
    const auto got = fetch();
    EXPECT_EQ(got.sample.value, 97.0);
    EXPECT_EQ(got.sample.read_by, read_by::single_sample);
    EXPECT_EQ(got.sample.interval_ms, 0);
    ASSERT_EQ(got.reading.warnings.size(), 1U);
    EXPECT_NE(got.reading.warnings[0].find("with a load in bursts it can be anything"), std::string::npos);
}

TEST_F(Nvml, MetricsOfGpmNeedItAndSayWhatIsMissing) {
    machine.add("GPU-0").has_gpm = false;
    auto got = fetch({{"metric", "sm_active"}});
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_NE(got.why.message.find("it needs GPM"), std::string::npos) << got.why.message;
    machine.add("GPU-1").gpm_says = nvml::no_permission;
    got = fetch({{"metric", "sm_active"}, {"devices", "1"}});
    EXPECT_EQ(got.why.status, status::forbidden);
    EXPECT_NE(got.why.message.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << got.why.message;
}

TEST_F(Nvml, ProcessesAreSeriesOfTheirOwn) {
    auto& gpu = machine.add("GPU-0");
    gpu.load = {1'000'000, 1.0};
    gpu.processes = {{4'711, 1'000, 0.75}, {4'712, 3'000, 0.25}};
    wanted = source::detail::everything;
    auto got = fetch({{"metric", "process_utilization"}, {"reduce", "max"}});
    EXPECT_EQ(got.sample.value, 75.0);
    ASSERT_EQ(got.reading.series.size(), 2U);
    EXPECT_EQ(got.reading.series[1].labels.back(), (std::pair<std::string, std::string>("pid", "4712")));
    got = fetch({{"metric", "process_memory_bytes"}, {"pids", "4712"}});
    EXPECT_EQ(got.sample.value, 3'000.0);
    got = fetch({{"metric", "process_memory_bytes"}, {"pids", "1"}});
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_NE(got.why.message.find("no matching process"), std::string::npos) << got.why.message;
}

TEST_F(Nvml, AMissingGpuIsPartialUnlessThatIsAccepted) {
    machine.add("GPU-0").busy = 30;
    machine.add("GPU-1").says = nvml::gpu_is_lost;
    auto got = fetch();
    EXPECT_EQ(got.why.status, status::partial);
    EXPECT_EQ(got.sample.state, sample_state::partial);
    EXPECT_EQ(got.why.message.find("1 of 2 GPUs have no value (GPU 1 (GPU-1): GPU is lost"), 0U) << got.why.message;
    EXPECT_EQ(got.why.where.text(), "trigger 0 (nvml)");
    rules.accept_partial = true;
    got = fetch();
    EXPECT_EQ(got.sample.value, 30.0);
    EXPECT_TRUE(got.reading.partial);
    EXPECT_EQ(got.reading.warnings.size(), 1U);
    rules.accept_partial = false;
    got = fetch({{"devices", "GPU-0,GPU-7"}});
    EXPECT_NE(got.why.message.find("this machine has no GPU or instance GPU-7; it has GPU 0 (GPU-0), GPU 1 (GPU-1)."),
              std::string::npos)
        << got.why.message;
}

TEST_F(Nvml, WithoutAnyGpuItIsNotHere) {
    EXPECT_EQ(fetch().why.status, status::not_here);
    EXPECT_EQ(fetch({{"devices", "0"}}).why.status, status::no_data);
}

TEST_F(Nvml, HasNoEndpoint) {
    const auto from = opened({});
    EXPECT_EQ(from->request(0).failure().status, status::not_here);
    EXPECT_EQ(from->read({}).failure().status, status::not_here);
    EXPECT_NE(from->query_key(), opened({{"devices", "0"}})->query_key());
    EXPECT_NE(from->query_key(), opened({{"reduce", "max"}})->query_key());
    EXPECT_EQ(from->query_key(), opened({})->query_key());
}

TEST_F(Nvml, ACancelledFetchSaysNothing) {
    machine.add("GPU-0");
    bool called = false;
    const auto under_way = opened({})->fetch(
        noon_ms, loop->steady_ms() + 10'000, [&](const source::fetched&) { called = true; }, wanted);
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(called);
}

}  // namespace
}  // namespace gputide
