// keda-prometheus, kind quantity: values as KEDA writes them for the HPA, beyond what a sample can hold.
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"

namespace conformance::keda_quantity {
namespace {

differences check_quantity(const json& one, const json&) {
    const auto value = gputide::parse_go_float(one.at("value").get<std::string>());
    if (!value) return {"value: not a float text"};
    differences out;
    expect_equal(out, "milli", one.at("expect").at("milli"), gputide::keda_milli_text(*value));
    return out;
}

const registration quantities{"keda-prometheus", {"quantity"}, &check_quantity};

}  // namespace
}  // namespace conformance::keda_quantity
