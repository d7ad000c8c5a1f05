#include "forecast/floor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace gputide::forecast {

namespace {

floor_reason why_nothing_is_asked(state state) noexcept {
    switch (state) {
        case state::off:
            return floor_reason::not_better;
        case state::spent:
            return floor_reason::budget_spent;
        case state::on:
            return floor_reason::no_recent_value;
        case state::warming:
        case state::none:
            break;
    }
    return floor_reason::warming_up;
}

std::int32_t ceil_to_int32(double value) noexcept {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const double up = std::ceil(value);
    return up >= most ? most : static_cast<std::int32_t>(up);
}

}  // namespace

std::string_view name(floor_reason reason) noexcept {
    static constexpr std::array<std::string_view, 11> names{
        "",           "raised",     "within_reactive", "capped_by_max",   "capped_by_raise", "observe",
        "warming_up", "not_better", "budget_spent",    "no_recent_value", "at_zero"};
    const auto number = static_cast<std::size_t>(reason);  // a negative number becomes a large one
    return number < names.size() ? names[number] : std::string_view();
}

floor_result floor_of(const floor_input& input, const settings& settings) noexcept {
    floor_result out{input.reactive};
    if (input.current == 0) {
        out.reason = floor_reason::at_zero;
        return out;
    }
    if (is_none(input.floor_load)) {
        out.reason = why_nothing_is_asked(input.state);
        return out;
    }
    out.need = ceil_to_int32(input.floor_load / input.target);
    if (out.need <= input.reactive) {
        out.reason = floor_reason::within_reactive;
        return out;
    }
    const std::int32_t cap = ceil_to_int32(input.reactive * (100 + settings.max_raise_percent) / 100);
    const std::int32_t want = std::min({out.need, cap, input.max});
    if (want <= input.reactive) {
        out.reason = floor_reason::capped_by_max;
    } else if (settings.mode == mode::observe) {
        out.reason = floor_reason::observe;
    } else {
        out.replicas = want;
        out.reason = want == out.need    ? floor_reason::raised
                     : want == input.max ? floor_reason::capped_by_max
                                         : floor_reason::capped_by_raise;
    }
    return out;
}

}  // namespace gputide::forecast
