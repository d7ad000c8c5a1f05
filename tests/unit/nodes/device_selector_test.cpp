// Selectors of devices: what CEL would say of one device, and what is refused.
#include "nodes/dra/selector.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

using type = selector_value::type;

device_properties h100() {
    device_properties out;
    out.driver = "gpu.nvidia.com";
    out.attributes = {{"gpu.nvidia.com", "type", {type::text, 0, "gpu"}},
                      {"gpu.nvidia.com", "productName", {type::text, 0, "NVIDIA H100 80GB HBM3"}},
                      {"gpu.nvidia.com", "index", {type::integer, 3, {}}},
                      {"gpu.nvidia.com", "display", {type::boolean, 0, {}}},
                      {"gpu.nvidia.com", "driverVersion", {type::version, 0, "580.65.6"}},
                      {"resource.kubernetes.io", "pcieRoot", {type::text, 0, "pci0000:01"}}};
    out.capacities = {{"gpu.nvidia.com", "memory", {type::quantity, 85'899'345'920'000, {}}}};  // 80Gi
    return out;
}

match said(const std::string& text) {
    const result<device_selector> parsed = device_selector::parse(text);
    EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? std::string() : parsed.failure().message);
    return parsed.ok() ? parsed->matches(h100()) : match::unknown;
}

TEST(DeviceSelector, SaysWhatCelSays) {
    for (const char* const text : {
             R"(device.driver == "gpu.nvidia.com")",
             R"(device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu')",
             R"(device.attributes["gpu.nvidia.com"]["type"] != "mig")",
             R"(device.attributes["gpu.nvidia.com"].index in [1, 3])",
             R"(device.attributes["gpu.nvidia.com"].index < 4 && device.attributes["gpu.nvidia.com"].index >= 3)",
             R"(!device.attributes["gpu.nvidia.com"].display)",
             R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0)",
             R"(device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("79Gi")))",
             R"(device.capacity["gpu.nvidia.com"].memory == quantity("80Gi"))",
             R"(device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("580.9.1")))",
             R"(device.attributes["gpu.nvidia.com"].driverVersion.compareTo(semver("580.65.6-rc.1")) == 1)",
             R"(device.attributes["gpu.nvidia.com"].productName.lowerAscii().matches("^.*h100.*$"))",
             R"(device.attributes["gpu.nvidia.com"].productName.contains("H100") || false)",
             R"("type" in device.attributes["gpu.nvidia.com"] && "gpu.nvidia.com" in device.capacity)",
             R"(has(device.attributes["gpu.nvidia.com"].type) && !has(device.attributes["other.com"].type))",
             "true",
             // The side that decides absorbs the error of the other.
             R"(device.attributes["gpu.nvidia.com"].absent == 1 || device.driver == "gpu.nvidia.com")",
             R"(!(device.attributes["other.com"].absent && device.driver == "other.com"))",
         })
        EXPECT_EQ(said(text), match::yes) << text;
    for (const char* const text : {
             R"(device.driver == "gpu.amd.com")",
             R"(device.attributes["gpu.nvidia.com"].index == "3")",  // values of different types are unequal
             R"(device.capacity["gpu.nvidia.com"].memory.isLessThan(quantity("80Gi")))",
             R"("no-such-domain" in device.attributes)",
         })
        EXPECT_EQ(said(text), match::no) << text;
    for (const char* const text : {
             R"(device.attributes["gpu.nvidia.com"].absent == 1)",
             R"(device.attributes["other.com"].type == "gpu")",
             R"(device.attributes["gpu.nvidia.com"].type > 3)",
             R"(device.attributes["gpu.nvidia.com"].type)",
             R"(device.attributes["gpu.nvidia.com"].type.compareTo(quantity("1")) == 0)",
         })
        EXPECT_EQ(said(text), match::error) << text;
}

TEST(DeviceSelector, RefusesWhatItDoesNotKnow) {
    for (const char* const text : {
             "",
             "?!",
             "1 +",
             "device",
             "device.attributes",
             R"(device.attributes["d"])",
             "device.allowMultipleAllocations",
             R"(cel.bind(dra, device.attributes["d"], dra.name))",
             R"(device.attributes["d"].names.exists(x, x > 0))",
             R"(device.attributes["d"].name == "a" ? true : false)",
             R"(device.attributes["d"].index % 2 == 0)",
             R"(device.attributes["d"].index + 1 == 2)",
             R"(device.driver == "a\n")",
             R"(quantity("much") == 1)",
             R"(device.attributes["d"].name.matches("("))",
             "true && ",
             "(true",
             "truefalse",
             R"("a" in "abc")",
         })
        EXPECT_FALSE(device_selector::parse(text).ok()) << text;
    EXPECT_EQ(device_selector::parse("device.driver == 1.5").failure().message,
              "the selector \"device.driver == 1.5\" is not supported at character 18: a node plan evaluates only a "
              "subset of CEL");
    EXPECT_FALSE(device_selector::parse(std::string(5'000, '(')).ok());
    EXPECT_FALSE(device_selector::parse(std::string(5'000, '!')).ok());
}

}  // namespace
}  // namespace gputide::nodes
