// k8s-quantity: a quantity's text → accepted or not, and its thousandths.
#include "door/json_values.hpp"
#include "frame/check.hpp"
#include "gputide/gputide.h"
#include "through/manifests.hpp"

namespace conformance::k8s_quantity {
namespace {

// Thousandths are rounded away from zero, so that whole units follow from them: 1 → 1, 1000 → 1, 1001 → 2.
std::int64_t units_up(std::int64_t milli) {
    const std::int64_t whole = milli / 1000;
    if (milli % 1000 == 0) return whole;
    return milli > 0 ? whole + 1 : whole - 1;
}

differences check(const json& one, const json&, door& library) {
    const json result = library.result({{"call", "quantity"}, {"text", json_text(input_text(one, "in"))}});
    const bool overflows = result.contains("error") && result.at("error").at("status") == GPUTIDE_E_LIMIT;
    const bool ok = overflows || message_of(result).empty();
    return check_outcomes(one, [&](const json& expect) {
        differences out;
        expect_equal(out, "ok", expect.at("ok"), ok);
        if (!out.empty() || !ok) return out;
        expect_equal(out, "beyond thousandths", expect.value("milli_overflow", "none") != "none", overflows);
        if (overflows) return out;
        const std::int64_t milli = integer_in(result.at("milli"));
        if (expect.contains("milli")) expect_equal(out, "milli", expect.at("milli"), std::to_string(milli));
        if (expect.contains("value_up"))
            expect_equal(out, "value_up", expect.at("value_up"), std::to_string(units_up(milli)));
        return out;
    });
}

// What a quantity beyond int64 thousandths is held at is looked at inside.
reach reach_of_quantity(const json& one) {
    return one.contains("expect") && one.at("expect").contains("milli_overflow") ? reach::part : reach::whole;
}

const registration whole_format{"k8s-quantity", {}, &check, &reach_of_quantity};

}  // namespace
}  // namespace conformance::k8s_quantity
