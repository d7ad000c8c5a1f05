// The driver's life: loaded late, listed seldom, shut down once; and what its codes mean.
#include "source/gpu/driver.hpp"

#include "source/gpu/meter.hpp"
#include "support/fake_nvml.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

namespace gputide::source::nvml {
namespace {

using asked = std::vector<std::string>;

class Driver : public ::testing::Test {
  protected:
    testing::fake_nvml machine;
    driver gpus{[this] { return testing::load_fake(machine); }, testing::clock_of(machine)};

    result<readings> read(std::string_view metric, std::int64_t now_ms = 0, const asked& devices = {}) {
        std::vector<wanted_gpu> wanted;
        for (const std::string& device : devices) wanted.push_back(parse_wanted(device).value());
        return gpus.read({quantity_named(metric), wanted, now_ms, {}, nullptr});
    }

    double only(std::string_view metric) {
        const auto got = read(metric);
        EXPECT_TRUE(got && got->values.size() == 1) << metric;
        return got && got->values.size() == 1 ? got->values[0].value : -1.0;
    }
};

TEST_F(Driver, ReadsEveryQuantityInItsUnit) {
    auto& gpu = machine.add("GPU-0");
    gpu.busy = 87;
    gpu.copies = 12;
    gpu.used = 59'250;
    gpu.milliwatts = 412'345;
    gpu.celsius = 61;
    EXPECT_EQ(only("gpu_utilization"), 87.0);
    EXPECT_EQ(only("memory_copy_utilization"), 12.0);
    EXPECT_EQ(only("memory_used_bytes"), 59'250.0);
    EXPECT_EQ(only("memory_free_bytes"), 19'750.0);
    EXPECT_EQ(only("memory_total_bytes"), 80'000.0);
    EXPECT_EQ(only("memory_used_ratio"), 0.75);
    EXPECT_EQ(only("power_watts"), 412.345);
    EXPECT_EQ(only("temperature_celsius"), 61.0);
}

TEST_F(Driver, AnOldDriverHasTheOlderCallsOnly) {
    machine.has_memory_2 = false;
    machine.has_mig = false;
    machine.add("GPU-0").used = 39'000;
    EXPECT_EQ(only("memory_used_bytes"), 40'000.0);  // what is reserved counts as used there
    EXPECT_EQ(only("memory_used_ratio"), 0.5);
}

TEST_F(Driver, IsLoadedAtTheFirstReadingAndListedOnce) {
    machine.add("GPU-0");
    machine.add("GPU-1");
    EXPECT_EQ(machine.loads, 0);
    ASSERT_TRUE(read("power_watts", 1'000));
    ASSERT_TRUE(read("power_watts", 2'000));
    EXPECT_EQ(machine.loads, 1);
    EXPECT_EQ(machine.inits, 1);
    EXPECT_EQ(machine.lists, 1);
    EXPECT_EQ(machine.take_asked(), (asked{"power GPU-0", "power GPU-1", "power GPU-0", "power GPU-1"}));
}

TEST_F(Driver, SeesInstancesThatCameLater) {
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 2, "MIG-a", 7);
    EXPECT_EQ(read("memory_used_bytes", 0)->values.size(), 1U);
    machine.add_instance(whole, 5, "MIG-b", 9);
    EXPECT_EQ(read("memory_used_bytes", 59'999)->values.size(), 1U);
    EXPECT_EQ(read("memory_used_bytes", 60'000)->values.size(), 2U);
    EXPECT_EQ(machine.lists, 2);
}

TEST_F(Driver, AHandleThatWentStaleIsListedAnewAtOnce) {
    auto& whole = machine.add("GPU-0");
    machine.add_instance(whole, 0, "MIG-a", 1);
    ASSERT_EQ(read("memory_used_bytes")->values.size(), 1U);
    const auto gone = std::exchange(whole.instances, {});  // kept, so that no handle is used twice
    machine.add_instance(whole, 1, "MIG-b", 2).used = 5;
    const auto got = read("memory_used_bytes", 1);
    ASSERT_TRUE(got);
    ASSERT_EQ(got->values.size(), 1U);
    EXPECT_EQ(got->values[0].owner->uuid, "MIG-b");
    EXPECT_TRUE(got->failures.empty());
}

TEST_F(Driver, ALostGpuLeavesTheOthers) {
    machine.add("GPU-0").busy = 50;
    machine.add("GPU-1").says = gpu_is_lost;
    machine.add("GPU-2").opens = no_permission;
    const auto got = read("gpu_utilization");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->values.size(), 1U);
    ASSERT_EQ(got->failures.size(), 2U);
    const error& lost = got->failures[0].why;
    EXPECT_EQ(lost.status, status::unavailable);
    EXPECT_EQ(lost.message, "GPU 1 (GPU-1): GPU is lost (NVML 15); it fell off the bus: drain and reboot the node");
    EXPECT_TRUE(lost.retryable);
    EXPECT_EQ(got->failures[1].why.status, status::forbidden);
    EXPECT_EQ(got->failures[1].why.message.find("GPU 2: "), 0U);
}

TEST_F(Driver, ADriverThatDoesNotOpenSaysWhy) {
    const struct {
        code said;
        gputide::status status;
        const char* part;
    } rows[] = {{driver_not_loaded, status::not_here, "load the nvidia module"},
                {no_permission, status::forbidden, "/dev/nvidia"},
                {version_mismatch, status::unavailable, "upgraded"},
                {999, status::protocol, "(NVML 999)"}};
    for (const auto& row : rows) {
        machine.init_says = row.said;
        const auto got = read("gpu_utilization");
        ASSERT_FALSE(got);
        EXPECT_EQ(got.failure().status, row.status) << row.said;
        EXPECT_NE(got.failure().message.find(row.part), std::string::npos) << got.failure().message;
        EXPECT_EQ(got.failure().service_code, std::to_string(row.said));
    }
    EXPECT_EQ(machine.loads, 4);  // each reading tries anew
    machine.init_says = 0;
    EXPECT_TRUE(read("gpu_utilization"));
}

TEST_F(Driver, IsOpenedAgainAfterSomebodyElseShutItDown) {
    machine.add("GPU-0");
    ASSERT_TRUE(read("gpu_utilization", 0));
    ++machine.shutdowns;
    const auto got = read("gpu_utilization", 60'000);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->values.size(), 1U);
    EXPECT_EQ(machine.inits, 2);
}

TEST(DriverEnd, ShutsDownWhatItOpened) {
    testing::fake_nvml machine;
    machine.add("GPU-0");
    {
        driver gpus([&machine] { return testing::load_fake(machine); });
        EXPECT_TRUE(gpus.read({quantity_named("power_watts"), {}, 0, {}, nullptr}));
        EXPECT_EQ(machine.shutdowns, 0);
    }
    EXPECT_EQ(machine.inits, 1);
    EXPECT_EQ(machine.shutdowns, 1);
}

TEST_F(Driver, ThreadsTakeTurns) {
    machine.add("GPU-0").busy = 7;
    const auto work = [this] {
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(read("gpu_utilization", i * 1'000));
    };
    std::thread other(work);
    work();
    other.join();
    EXPECT_EQ(machine.inits, 1);
}

// On a machine with a driver this is a real reading; on others the library says that there is none.
TEST(SharedDriver, IsOneAndSaysWhatThereIs) {
    const auto driver = shared_driver();
    EXPECT_EQ(driver, shared_driver());
    const auto got = driver->read({quantity_named("memory_total_bytes"), {}, 0, {}, nullptr});
    if (got) {
        EXPECT_NE(got->list, nullptr);
    } else {
        EXPECT_EQ(got.failure().status, status::not_here);
        EXPECT_NE(got.failure().message.find("NVIDIA_DRIVER_CAPABILITIES=utility"), std::string::npos);
    }
}

// Container and pod of a process by its cgroup.

const std::string id(64, 'a');

TEST(ProcessId, KnowsTheNamesOfRuntimesAndTheKubelet) {
    const std::string uid = "8a3c1d0e-1111-2222-3333-444455556666";
    const std::string under_systemd =
        "0::/kubepods.slice/kubepods-burstable.slice/"
        "kubepods-burstable-pod8a3c1d0e_1111_2222_3333_444455556666.slice/cri-containerd-" +
        id + ".scope\n";
    EXPECT_EQ(identity_of(under_systemd).container_id, id);
    EXPECT_EQ(identity_of(under_systemd).pod_uid, uid);
    const std::string by_cgroupfs = "12:devices:/kubepods/besteffort/pod" + uid + "/" + id + "\n0::/\n";
    EXPECT_EQ(identity_of(by_cgroupfs).container_id, id);
    EXPECT_EQ(identity_of(by_cgroupfs).pod_uid, uid);
    EXPECT_EQ(identity_of("0::/system.slice/docker-" + id + ".scope").container_id, id);
}

TEST(ProcessId, IsEmptyWhereTheTextNamesNone) {
    for (const std::string& text : {std::string(), std::string("0::/"), "0::/docker/" + id + "a",
                                    std::string("0::/user.slice/podman-8a3c1d0e"), std::string("0::/kubepods/podx")}) {
        EXPECT_EQ(identity_of(text).container_id, "") << text;
        EXPECT_EQ(identity_of(text).pod_uid, "") << text;
    }
}

}  // namespace

}  // namespace gputide::source::nvml
