// Whole fetches of an nvml trigger on a driver of the tests' own.
#include "source/nvml/nvml.hpp"

#include "fake.hpp"
#include "source/source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gputide {
namespace {

namespace nvml = source::nvml;
using metadata = std::map<std::string, std::string>;

constexpr std::int64_t noon_ms = 1'760'000'000'000;

class Nvml : public ::testing::Test {
  protected:
    testing::fake_nvml machine;
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<nvml::driver> gpus = std::make_shared<nvml::driver>([this] { return testing::load_fake(machine); });
    config::trigger_rules rules;
    source::detail wanted = source::detail::value;

    // Reads at once, inside the call.
    static std::shared_ptr<nvml::reader> reader_of(const std::shared_ptr<nvml::driver>& driver) {
        return std::make_shared<nvml::reader>(driver, [](const std::function<void()>& job) {
            job();
            return true;
        });
    }

    std::shared_ptr<source::metric_source> opened(const metadata& more) {
        config::trigger from;
        from.type = "nvml";
        from.metadata = {{"metric", "gpu_utilization"}, {"threshold", "80"}};
        for (const auto& [key, value] : more) from.metadata[key] = value;
        source::services with;
        with.loop = loop;
        auto described = nvml::describe_on([this] { return reader_of(gpus); }, from, rules);
        EXPECT_TRUE(described) << (described ? "" : described.failure().message);
        if (!described) return nullptr;
        described->label = from.label();
        auto made = source::open(*described, with);
        EXPECT_TRUE(made) << (made ? "" : made.failure().message);
        return made ? *made : nullptr;
    }

    source::fetched fetch(const metadata& more = {}) {
        const auto from = opened(more);
        std::optional<source::fetched> out;
        const auto under_way = from->fetch(
            noon_ms, loop->steady_ms() + 10'000, [&](source::fetched got) { out = std::move(got); }, wanted);
        EXPECT_FALSE(out) << "done ran inside the call";
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }
};

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

TEST_F(Nvml, MigModeHasNoUtilisation) {
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 0, "MIG-a", 1);
    auto got = fetch();
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_NE(got.why.message.find("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), std::string::npos) << got.why.message;
    machine.add("GPU-1").busy = 30;
    gpus = std::make_shared<nvml::driver>([this] { return testing::load_fake(machine); });
    got = fetch();
    EXPECT_EQ(got.sample.value, 30.0);  // of the GPU that has it
    EXPECT_EQ(got.reading.infos.size(), 1U);
}

TEST_F(Nvml, AMissingGpuIsPartialUnlessThatIsAccepted) {
    machine.add("GPU-0").busy = 30;
    machine.add("GPU-1").says = nvml::gpu_is_lost;
    auto got = fetch();
    EXPECT_EQ(got.why.status, status::partial);
    EXPECT_EQ(got.sample.state, sample_state::partial);
    EXPECT_EQ(got.why.message.find("1 of 2 GPUs gave no number (GPU 1 (GPU-1): GPU is lost"), 0U) << got.why.message;
    EXPECT_EQ(got.why.where.text(), "trigger 0 (nvml)");
    rules.accept_partial = true;
    got = fetch();
    EXPECT_EQ(got.sample.value, 30.0);
    EXPECT_TRUE(got.reading.partial);
    EXPECT_EQ(got.reading.warnings.size(), 1U);
    rules.accept_partial = false;
    got = fetch({{"devices", "GPU-0,GPU-7"}});
    EXPECT_NE(got.why.message.find("there is no GPU or instance GPU-7 here; there are GPU 0 (GPU-0), GPU 1 (GPU-1)."),
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
