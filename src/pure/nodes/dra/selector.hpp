// Selectors of devices: the subset of CEL that DeviceClasses and claims use in practice.  Any other expression fails to
// parse, so that a plan reports it instead of guessing.
//   device.driver == "d"     device.attributes["d"].name == 1     "name" in device.capacity["d"]     has(...)
//   == != < <= > >= in [...]     && || ! ( )     .compareTo(quantity("40Gi")) >= 0     .isLessThan(semver("1.2.0"))
//   .matches("^a.*") .startsWith("a") .endsWith("b") .contains("c") .lowerAscii()
// Facts: kubernetes/dynamic-resource-allocation cel/compile.go (missing domains are empty maps, missing names an error);
// google/cel-spec (&& and || absorb errors).
#pragma once

#include "base/pattern/pattern.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

// A value of an expression, or of a device's attribute or capacity.
struct selector_value {
    enum class type : std::uint8_t { error, boolean, integer, text, version, quantity };
    type kind = type::error;
    std::int64_t number = 0;  // of a boolean 0 or 1, of a quantity thousandths
    std::string text;         // of a text or version

    friend bool operator==(const selector_value&, const selector_value&) = default;
};

struct device_property {
    std::string domain;  // the driver, if the name has no domain
    std::string name;
    selector_value value;
};

struct device_properties {
    std::string driver;
    std::vector<device_property> attributes;
    std::vector<device_property> capacities;
};

// Returns the attribute with a full name, "domain/name"; nullptr: the device does not have it.
const selector_value* find_attribute(const device_properties& device, std::string_view full_name);

// error: CEL fails for that device; the whole allocation on its node then fails.
enum class match : std::uint8_t { unknown, no, yes, error };

class device_selector {
  public:
    // Parses a selector.  Fails with the unsupported part.
    static result<device_selector> parse(std::string_view text);

    match matches(const device_properties& device) const;

  private:
    friend class selector_parser;
    friend class selector_evaluation;

    enum class op : std::uint8_t {
        literal,
        driver,
        property,
        has_property,
        negation,
        both,
        either,
        equal,
        unequal,
        less,
        at_most,
        greater,
        at_least,
        in_list,
        compare,
        is_greater,
        is_less,
        starts,
        ends,
        contains,
        regex,
        lower,
        list,
        properties
    };
    struct node {
        op what = op::literal;
        std::uint32_t left = 0;  // index
        std::uint32_t right = 0;
        bool of_capacity = false;  // of properties: the capacities, else the attributes
        std::string domain;
        std::string name;
        selector_value value;                 // of a literal
        std::vector<std::uint32_t> elements;  // of a list
    };

    std::vector<node> nodes_;  // the last is the whole expression
    std::vector<pattern> patterns_;
};

}  // namespace gputide::nodes
