// Tests which GPUs a trigger means.
#include "source/gpu/gpus.hpp"

#include <gtest/gtest.h>

namespace gputide::source::nvml {
namespace {

std::string names(const chosen_gpus& from) {
    std::string out;
    for (const gpu* gpu : from.all) out += gpu->uuid + " ";
    for (const std::string& text : from.missing) out += "no " + text + " ";
    return out;
}

std::vector<gpu> a_machine() {
    std::vector<gpu> out(4);
    out[0].uuid = "GPU-0";
    out[1] = {.index = 1, .in_mig_mode = true, .uuid = "GPU-1"};
    out[2] = {.index = 1, .instance = 0, .instance_id = 7, .uuid = "MIG-a"};
    out[3] = {.index = 1, .instance = 4, .instance_id = 9, .uuid = "MIG-b"};
    return out;
}

std::string chosen(std::string_view metric, const std::vector<std::string>& devices) {
    const std::vector<gpu> all = a_machine();
    std::vector<wanted_gpu> wanted;
    for (const std::string& device : devices) wanted.push_back(parse_wanted(device).value());
    return names(choose(all, wanted, *quantity_named(metric)));
}

TEST(Gpus, MemoryBelongsToInstancesAndTheRestToTheGpu) {
    EXPECT_EQ(chosen("memory_used_bytes", {}), "GPU-0 MIG-a MIG-b ");
    EXPECT_EQ(chosen("power_watts", {}), "GPU-0 GPU-1 ");
    EXPECT_EQ(chosen("memory_used_bytes", {"1"}), "MIG-a MIG-b ");
    EXPECT_EQ(chosen("power_watts", {"1"}), "GPU-1 ");
    EXPECT_EQ(chosen("memory_used_bytes", {"1:4"}), "MIG-b ");
    EXPECT_EQ(chosen("temperature_celsius", {"1:4", "1:0"}), "GPU-1 ");
    EXPECT_EQ(chosen("memory_used_bytes", {"MIG-A", "mig-a", "0"}), "MIG-a GPU-0 ");
}

TEST(Gpus, WhatIsNotThereIsNamed) {
    EXPECT_EQ(chosen("memory_used_bytes", {"5", "1:1", "GPU-9", "0"}), "GPU-0 no 5 no 1:1 no GPU-9 ");
}

TEST(Gpus, ReadsSelections) {
    for (const char* bad : {"", "-1", "x", "0:", ":1", "0:x", "1.5", "99999999999", "+1", "0x1"}) {
        EXPECT_FALSE(parse_wanted(bad)) << bad;
    }
    const auto got = parse_wanted("12:3");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->index, 12U);
    EXPECT_EQ(got->instance, 3U);
}

}  // namespace
}  // namespace gputide::source::nvml
