// Tests what NVML said of real GPUs (tests/cases/nvml/*.json, by record.py there), played back through the library.
#include "source/gpu/driver.hpp"
#include "support/fake_nvml.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace gputide::source::nvml {
namespace {

using nlohmann::json;

std::vector<json> records() {
    std::vector<json> out;
    for (const auto& entry : std::filesystem::directory_iterator(gputide::testing::file_path("cases/nvml"))) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream from(entry.path());
        out.push_back(json::parse(from));
    }
    return out;
}

void fill(testing::fake_gpu& to, const json& from) {
    to.name = from["name"];
    to.busy = from["utilization"]["gpu"];
    to.copies = from["utilization"]["memory"];
    to.total = from["memory_2"]["total"];
    to.reserved = from["memory_2"]["reserved"];
    to.used = from["memory_2"]["used"];
    to.milliwatts = from["power"]["value"];
    to.celsius = from["temperature"]["value"];
}

std::vector<double> read(testing::fake_nvml& machine, std::string_view metric) {
    driver gpus([&machine] { return testing::load_fake(machine); });
    std::vector<double> out;
    const auto got = gpus.read({quantity_named(metric), {}, 0, {}, nullptr});
    EXPECT_TRUE(got && got->failures.empty()) << metric;
    if (!got) return out;
    for (const measured& value : got->values) out.push_back(value.value);
    return out;
}

// One expectation for each GPU of the snapshot, by the raw numbers of the record.
template <class Expected>
void expect_all(testing::fake_nvml& machine, const json& snapshot, std::string_view metric, Expected expected) {
    const std::vector<double> got = read(machine, metric);
    ASSERT_EQ(got.size(), snapshot["gpus"].size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected(snapshot["gpus"][i])) << metric << " " << i;
}

TEST(Record, PlaysBackToTheSameNumbers) {
    std::size_t snapshots = 0;
    for (const json& record : records()) {
        EXPECT_FALSE(record["driver_version"].get<std::string>().empty());
        for (const json& snapshot : record["snapshots"]) {
            ++snapshots;
            testing::fake_nvml machine;
            for (const json& gpu : snapshot["gpus"]) fill(machine.add(gpu["uuid"]), gpu);
            const auto used = [](const json& gpu) { return gpu["memory_2"]["used"].get<double>(); };
            const auto free = [](const json& gpu) { return gpu["memory_2"]["free"].get<double>(); };
            expect_all(machine, snapshot, "gpu_utilization", [](const json& gpu) { return gpu["utilization"]["gpu"]; });
            expect_all(machine, snapshot, "power_watts",
                       [](const json& gpu) { return gpu["power"]["value"].get<double>() / 1000; });
            expect_all(machine, snapshot, "temperature_celsius",
                       [](const json& gpu) { return gpu["temperature"]["value"]; });
            expect_all(machine, snapshot, "memory_used_bytes", used);
            expect_all(machine, snapshot, "memory_free_bytes", free);
            expect_all(machine, snapshot, "memory_used_ratio",
                       [&](const json& gpu) { return used(gpu) / (used(gpu) + free(gpu)); });
        }
    }
    EXPECT_GE(snapshots, 2U);
}

// Facts that the headers leave open, and the code takes for given: the older call counts what is reserved as used.
TEST(Record, TheOlderMemoryCallCountsWhatIsReserved) {
    for (const json& record : records()) {
        for (const json& snapshot : record["snapshots"]) {
            for (const json& gpu : snapshot["gpus"]) {
                const std::int64_t reserved = gpu["memory_2"]["reserved"];
                EXPECT_GT(reserved, 0);
                EXPECT_EQ(gpu["memory"]["used"], gpu["memory_2"]["used"].get<std::int64_t>() + reserved);
                EXPECT_EQ(gpu["memory"]["free"], gpu["memory_2"]["free"]);
            }
        }
    }
}

}  // namespace
}  // namespace gputide::source::nvml
