// Keys of nvml triggers, and what is said about wrong ones.
#include "source/gpu/gpus.hpp"
#include "source/gpu/nvml.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide::source::nvml {
namespace {

manifest::trigger trigger(const std::map<std::string, std::string>& more) {
    manifest::trigger out;
    out.type = "nvml";
    out.metadata = {{"metric", "gpu_utilization"}, {"threshold", "80"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

result<settings> read(const std::map<std::string, std::string>& more, const manifest::trigger_rules& rules = {}) {
    return testing::settings_of([](trigger_reader& from) { return read_settings(from); }, keys.all(), trigger(more),
                                rules);
}

std::string refusal(const std::map<std::string, std::string>& more) {
    const auto got = read(more);
    return got ? "taken" : got.failure().message;
}

TEST(NvmlSettings, Defaults) {
    const auto got = read({});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->quantity->name, "gpu_utilization");
    EXPECT_TRUE(got->devices.empty());
    EXPECT_EQ(got->reduction.reduce, "avg");
    EXPECT_EQ(got->scale, 1.0);
    EXPECT_EQ(got->target.metric_name, "s0-nvml");
    EXPECT_EQ(got->target.target_milli, 80'000);
}

TEST(NvmlSettings, TheTablesMetricsAreTheQuantities) {
    const std::string_view row = keys.rows[0].range;
    for (const quantity& quantity : quantities())
        EXPECT_NE(row.find("`" + std::string(quantity.name) + "`"), std::string_view::npos) << quantity.name;
}

TEST(NvmlSettings, TheTriggersReducerGoesFirst) {
    manifest::trigger_rules rules;
    rules.reduce = "max";
    EXPECT_EQ(read({}, rules)->reduction.reduce, "max");
    EXPECT_EQ(read({{"reduce", "p90"}}, rules)->reduction.reduce, "p90");
}

TEST(NvmlSettings, RefusalsNameTheKey) {
    EXPECT_NE(refusal({{"metric", "utilisation"}}).find("gpu_utilization"), std::string::npos);
    EXPECT_NE(refusal({{"devices", "0,one"}}).find("devices: expected an index such as 0"), std::string::npos);
    EXPECT_NE(refusal({{"reduce", "median"}}).find("reduce: expected avg"), std::string::npos);
    EXPECT_NE(refusal({{"threshold", ""}}).find("missing required parameter \"threshold\""), std::string::npos);
}

TEST(NvmlSettings, PodsOrDevicesChooseGpus) {
    EXPECT_EQ(read({{"pods", "llm-0, ml/llm-*"}})->pods.size(), 2U);
    EXPECT_NE(refusal({{"pods", "llm"}, {"devices", "0"}}).find("devices and pods both select GPUs"),
              std::string::npos);
    EXPECT_NE(refusal({{"pods", "LLM"}}).find("pods: expected a pod's name"), std::string::npos);
}

TEST(NvmlSettings, ProcessesAreChosenForProcessMetricsAlone) {
    const auto got = read({{"metric", "process_utilization"}, {"pids", "1,4711"}, {"containers", "4f2ac01d9e77"}});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->processes.pids, (std::vector<unsigned>{1, 4'711}));
    EXPECT_EQ(got->processes.containers, std::vector<std::string>{"4f2ac01d9e77"});
    EXPECT_NE(refusal({{"pids", "1"}}).find("only process_utilization"), std::string::npos);
    EXPECT_NE(refusal({{"metric", "process_utilization"}, {"pids", "-1"}}).find("pids: expected"), std::string::npos);
    EXPECT_NE(refusal({{"metric", "process_utilization"}, {"containers", "web"}}).find("containers: expected"),
              std::string::npos);
}

// Tests which GPUs a trigger means.

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
