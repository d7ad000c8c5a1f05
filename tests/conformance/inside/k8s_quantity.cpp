// k8s-quantity: a quantity's text → accepted or not, milli and value rounded away from zero, saturation at int64.
#include "base/quantity.hpp"
#include "frame/check.hpp"

#include <limits>

namespace conformance::k8s_quantity {
namespace {

// What the file calls milli_overflow: the sign of the bound that the value is held at.
std::string overflow_sign(const gputide::quantity& got) {
    if (!got.milli_overflow) return "none";
    if (got.milli == std::numeric_limits<std::int64_t>::max()) return "+";
    if (got.milli == std::numeric_limits<std::int64_t>::min()) return "-";
    return "overflow with the value " + std::to_string(got.milli);
}

differences check(const json& one, const json&) {
    const gputide::result<gputide::quantity> got = gputide::parse_quantity(input_text(one, "in"));
    return check_outcomes(one, [&](const json& expect) {
        differences out;
        expect_equal(out, "ok", expect.at("ok"), got.ok());
        if (!out.empty() || !got) return out;
        if (expect.contains("milli")) expect_equal(out, "milli", expect.at("milli"), std::to_string(got->milli));
        if (expect.contains("value_up")) {
            expect_equal(out, "value_up", expect.at("value_up"), std::to_string(got->value_up));
        }
        expect_equal(out, "milli_overflow", expect.value("milli_overflow", "none"), overflow_sign(*got));
        return out;
    });
}

const registration whole_format{"k8s-quantity", {}, &check};

}  // namespace
}  // namespace conformance::k8s_quantity
