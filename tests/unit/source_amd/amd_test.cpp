// AMD GPUs behind AMD SMI's functions, which a fake plays: its codes, its numbers, and whole fetches of an amd trigger.
#include "source/gpu/amd/amd.hpp"

#include "source/gpu/driver.hpp"
#include "source/gpu/nvml.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace gputide::source::amd {
namespace {

struct fake_gpu {
    std::string uuid;
    std::uint32_t gfx = 0;
    std::uint32_t memory_activity = 0;
    std::uint64_t used = 0;
    std::uint64_t total = 0;
    std::array<std::uint32_t, 4> power{};  // the first words of the struct
    std::uint64_t energy = 0;              // in units of `resolution`
    status says = success;
};

// Two sockets: one with two GPUs, one with the others.
struct {
    std::vector<fake_gpu> gpus;
    status init_says = success;
    std::uint64_t flags = 0;
    int shut_downs = 0;
    std::int64_t steady_ms = 0;
} machine;

fake_gpu& of(handle gpu) { return *static_cast<fake_gpu*>(gpu); }

status sockets(std::uint32_t* count, handle* into) {
    *count = 2;
    if (into != nullptr) into[0] = &machine, into[1] = nullptr;
    return success;
}

status processors(handle socket, std::uint32_t* count, handle* into) {
    const std::size_t split = std::min<std::size_t>(2, machine.gpus.size());
    const std::size_t from = socket == nullptr ? split : 0;
    const std::size_t to = socket == nullptr ? machine.gpus.size() : split;
    *count = static_cast<std::uint32_t>(to - from);
    for (std::size_t i = from; into != nullptr && i < to; ++i) into[i - from] = &machine.gpus[i];
    return success;
}

functions fake_functions() {
    functions out;
    out.init = [](std::uint64_t flags) {
        machine.flags = flags;
        return machine.init_says;
    };
    out.shut_down = [] {
        ++machine.shut_downs;
        return success;
    };
    out.status_text = [](status said, const char** into) {
        *into = said == 10 ? "Permission Denied" : "some status";
        return success;
    };
    out.sockets = &sockets;
    out.processors = &processors;
    out.uuid = [](handle gpu, unsigned* size, char* into) {
        EXPECT_GE(*size, 38U);
        std::strcpy(into, of(gpu).uuid.c_str());
        return success;
    };
    out.asic = [](handle, void* into) {
        std::strcpy(static_cast<char*>(into), "AMD Instinct MI300X");
        return success;
    };
    out.activity = [](handle gpu, engine_usage* into) {
        into->gfx = of(gpu).gfx;
        into->memory = of(gpu).memory_activity;
        return of(gpu).says;
    };
    out.memory_total = [](handle gpu, int type, std::uint64_t* into) {
        EXPECT_EQ(type, 0);
        *into = of(gpu).total;
        return of(gpu).says;
    };
    out.memory_used = [](handle gpu, int, std::uint64_t* into) {
        *into = of(gpu).used;
        return of(gpu).says;
    };
    out.power = [](handle gpu, void* into) {
        std::memcpy(into, of(gpu).power.data(), sizeof of(gpu).power);
        return of(gpu).says;
    };
    out.energy = [](handle gpu, std::uint64_t* counter, float* resolution, std::uint64_t*) {
        *counter = of(gpu).energy;
        *resolution = 15.3F;  // µJ, as MI300 has it
        return of(gpu).says;
    };
    out.layout = power_layout::of_26;
    return out;
}

class Amd : public ::testing::Test {
  protected:
    functions library_functions = fake_functions();
    nvml::driver driver{[this] {
                            return result<nvml::library>(adapted({library_functions, nullptr}));
                        },
                        {[] { return machine.steady_ms; }, [](std::int64_t) {}}};
    std::shared_ptr<nvml::past_readings> past = std::make_shared<nvml::past_readings>();

    Amd() {
        machine = {};
        machine.gpus.resize(3);
        for (std::size_t i = 0; i < 3; ++i)
            machine.gpus[i].uuid = "00ff74a1-0000-1000-80b5-c2d1f5a0e8c" + std::to_string(i);
    }

    result<nvml::readings> read(std::string_view metric, const std::vector<nvml::wanted_gpu>& wanted = {}) {
        return driver.read({vendor.quantity_named(metric), wanted, 0, {}, past});
    }

    double first(std::string_view metric) {
        const auto got = read(metric);
        EXPECT_TRUE(got && !got->values.empty()) << metric;
        return got && !got->values.empty() ? got->values.front().value : -1.0;
    }
};

TEST_F(Amd, ReadsTheGpusOfAllSockets) {
    machine.gpus[0].gfx = 70;
    machine.gpus[2].gfx = 30;
    const auto got = read("gpu_utilization");
    ASSERT_TRUE(got) << got.failure().message;
    ASSERT_EQ(got->values.size(), 3U);
    EXPECT_EQ(got->values[0].value, 70.0);
    EXPECT_EQ(got->values[2].value, 30.0);
    EXPECT_EQ(got->values[2].owner->uuid, machine.gpus[2].uuid);
    EXPECT_EQ(got->values[2].owner->name, "AMD Instinct MI300X");
    EXPECT_EQ(got->values[0].read_by, read_by::single_sample);
    EXPECT_NE(got->values[0].note.find("an average by the firmware"), std::string::npos) << got->values[0].note;
    EXPECT_EQ(machine.flags, 2U);
}

TEST_F(Amd, ChoosesByUuid) {
    machine.gpus[1].gfx = 50;
    const auto wanted = nvml::parse_wanted(machine.gpus[1].uuid);
    ASSERT_TRUE(wanted);
    const auto got = read("gpu_utilization", {*wanted});
    ASSERT_TRUE(got);
    ASSERT_EQ(got->values.size(), 1U);
    EXPECT_EQ(got->values[0].value, 50.0);
}

TEST_F(Amd, ReadsMemory) {
    machine.gpus[0].memory_activity = 12;
    machine.gpus[0].used = 48;
    machine.gpus[0].total = 192;
    EXPECT_EQ(first("memory_copy_utilization"), 12.0);
    EXPECT_EQ(first("memory_used_bytes"), 48.0);
    EXPECT_EQ(first("memory_free_bytes"), 144.0);
    EXPECT_EQ(first("memory_total_bytes"), 192.0);
    EXPECT_EQ(first("memory_used_ratio"), 0.25);
}

TEST_F(Amd, AMarkOfAbsenceIsNoNumber) {
    machine.gpus[0].gfx = 0xFFFF;
    const auto got = read("gpu_utilization");
    ASSERT_TRUE(got);
    ASSERT_EQ(got->failures.size(), 1U);
    EXPECT_EQ(got->failures[0].said, nvml::not_supported);
}

TEST_F(Amd, PowerIsReadByTheLibrarysLayout) {
    machine.gpus[0].power = {0xFFFFFFFF, 0xFFFFFFFF, 550, 0xFFFF};
    EXPECT_EQ(first("power_watts"), 550.0);
    machine.gpus[0].power = {0, 0, 0xFFFF, 210};
    EXPECT_EQ(first("power_watts"), 210.0);
    machine.gpus[0].power = {0, 0, 0xFFFFFFFF, 0xFFFFFFFF};
    EXPECT_EQ(read("power_watts")->failures.size(), 3U);
}

TEST_F(Amd, PowerOfAnOlderLibrary) {
    library_functions.layout = power_layout::of_24;
    machine.gpus[0].power = {0xFFFF, 300, 900, 900};
    EXPECT_EQ(first("power_watts"), 300.0);
}

TEST_F(Amd, PowerOfAnUnknownLayoutIsNoNumber) {
    library_functions.layout = power_layout::unknown;
    machine.gpus[0].power = {100, 200, 300, 400};
    const auto got = read("power_watts");
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->values.empty());
    EXPECT_EQ(got->failures.front().said, nvml::not_supported);
}

TEST_F(Amd, EnergyIsAveragedBetweenPolls) {
    machine.gpus.resize(1);
    machine.gpus[0].power = {0, 0, 100, 0};
    EXPECT_EQ(first("power_average_watts"), 100.0);  // the first poll
    machine.steady_ms = 10'000;
    machine.gpus[0].energy = 261'437'908;  // times 15.3 µJ: 4,000 J
    EXPECT_NEAR(first("power_average_watts"), 400.0, 0.1);
}

TEST_F(Amd, ItsCodesAreShownByItsOwnNumbers) {
    machine.gpus[0].says = 10;
    auto got = read("memory_used_bytes");
    ASSERT_TRUE(got);
    ASSERT_EQ(got->failures.size(), 1U);
    EXPECT_EQ(got->failures[0].why.status, gputide::status::forbidden);
    EXPECT_NE(got->failures[0].why.message.find("Permission Denied (AMD SMI 10); run as a user in the groups video"),
              std::string::npos)
        << got->failures[0].why.message;
    machine.gpus[0].says = 30;  // busy: not among those with a remedy
    got = read("memory_used_bytes");
    EXPECT_NE(got->failures[0].why.message.find("(AMD SMI 30)"), std::string::npos);
    EXPECT_EQ(got->failures[0].why.service_code, "30");
}

TEST_F(Amd, WithoutAKernelModuleItIsNotHere) {
    machine.init_says = 34;
    const auto got = read("memory_used_bytes");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, gputide::status::not_here);
    EXPECT_EQ(got.failure().message.find("the AMD driver could not be opened: "), 0U) << got.failure().message;
    EXPECT_NE(got.failure().message.find("load amdgpu"), std::string::npos);
}

TEST(AmdSettings, KeysAndMetricsAreItsOwn) {
    manifest::trigger from;
    from.type = "amd";
    from.metadata = {{"metric", "power_watts"}, {"threshold", "300"}};
    const auto read = [](trigger_reader& of) { return nvml::read_settings(of, vendor); };
    const auto got = testing::settings_of(read, keys.all(), from);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->target.metric_name, "s0-amd");
    from.metadata["metric"] = "sm_active";
    const auto refused = testing::settings_of(read, keys.all(), from);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.failure().message.find("error parsing amd metadata"), std::string::npos);
    EXPECT_NE(
        refused.failure().message.find("expected one of gpu_utilization, memory_copy_utilization, memory_used_bytes"),
        std::string::npos)
        << refused.failure().message;
    EXPECT_EQ(refused.failure().message.find("throttled"), std::string::npos);
}

TEST(AmdSettings, TheTablesMetricsAreTheVendors) {
    for (const std::string_view metric : vendor.metrics)
        EXPECT_NE(std::string_view(vendor.keys[0].range).find("`" + std::string(metric) + "`"), std::string_view::npos);
}

TEST(AmdLibrary, ThatIsMissingIsNamed) {
    const auto got = load_library();
    if (got) GTEST_SKIP() << "this machine has AMD SMI";
    EXPECT_EQ(got.failure().status, gputide::status::not_here);
    EXPECT_NE(got.failure().message.find("install amd-smi-lib"), std::string::npos);
}

}  // namespace
}  // namespace gputide::source::amd
