// Keys of nvml triggers, and what is said about wrong ones.
#include "source/gpu/nvml.hpp"

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

std::string refusal(const std::map<std::string, std::string>& more) {
    const auto got = read_settings(trigger(more), {});
    return got ? "taken" : got.failure().message;
}

TEST(NvmlSettings, Defaults) {
    const auto got = read_settings(trigger({}), {});
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
    EXPECT_EQ(read_settings(trigger({}), rules)->reduction.reduce, "max");
    EXPECT_EQ(read_settings(trigger({{"reduce", "p90"}}), rules)->reduction.reduce, "p90");
}

TEST(NvmlSettings, RefusalsNameTheKey) {
    EXPECT_NE(refusal({{"metric", "utilisation"}}).find("gpu_utilization"), std::string::npos);
    EXPECT_NE(refusal({{"devices", "0,one"}}).find("devices: expected an index such as 0"), std::string::npos);
    EXPECT_NE(refusal({{"reduce", "median"}}).find("reduce: expected avg"), std::string::npos);
    EXPECT_NE(refusal({{"threshold", ""}}).find("missing required parameter \"threshold\""), std::string::npos);
}

TEST(NvmlSettings, PodsOrDevicesChooseGpus) {
    EXPECT_EQ(read_settings(trigger({{"pods", "llm-0, ml/llm-*"}}), {})->pods.size(), 2U);
    EXPECT_NE(refusal({{"pods", "llm"}, {"devices", "0"}}).find("devices and pods both select GPUs"),
              std::string::npos);
    EXPECT_NE(refusal({{"pods", "LLM"}}).find("pods: expected a pod's name"), std::string::npos);
}

TEST(NvmlSettings, ProcessesAreChosenForProcessMetricsAlone) {
    const auto got = read_settings(
        trigger({{"metric", "process_utilization"}, {"pids", "1,4711"}, {"containers", "4f2ac01d9e77"}}), {});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->processes.pids, (std::vector<unsigned>{1, 4'711}));
    EXPECT_EQ(got->processes.containers, std::vector<std::string>{"4f2ac01d9e77"});
    EXPECT_NE(refusal({{"pids", "1"}}).find("only process_utilization"), std::string::npos);
    EXPECT_NE(refusal({{"metric", "process_utilization"}, {"pids", "-1"}}).find("pids: expected"), std::string::npos);
    EXPECT_NE(refusal({{"metric", "process_utilization"}, {"containers", "web"}}).find("containers: expected"),
              std::string::npos);
}

}  // namespace
}  // namespace gputide::source::nvml
