#include "jobs/strategy.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::jobs {
namespace {

// Rounds toward 0.  A value beyond int64 gives no demand: KEDA's result is undefined there.
std::optional<std::int64_t> truncated(double value) {
    constexpr double most = 9.0e18;
    if (!(std::fabs(value) < most)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

strategy_answer custom(const config::scaling_strategy& strategy, const strategy_input& input, double fraction) {
    strategy_answer out{"custom", 0, input.scale_to};
    const auto deducted = truncated(static_cast<double>(input.running) * fraction);
    if (!deducted) return out;
    const double wanted =
        static_cast<double>(input.max_scale) - strategy.queue_length_deduction - static_cast<double>(*deducted);
    out.effective = truncated(std::min(wanted, static_cast<double>(input.headroom))).value_or(0);
    return out;
}

}  // namespace

std::optional<double> running_fraction(std::string_view text, config::profile profile) {
    constexpr bool with_digit_separators = true;
    const auto out = parse_go_float(text, with_digit_separators);
    if (out && profile == config::profile::standard && !std::isfinite(*out)) return std::nullopt;
    return out;
}

strategy_answer answer_of(const config::scaling_strategy& strategy, const strategy_input& input,
                          config::profile profile) {
    const auto& [wanted, running, pending, headroom, scale_to] = input;
    if (strategy.name == "custom") {
        const auto fraction = running_fraction(strategy.running_job_fraction, profile);
        if (fraction) return custom(strategy, input, *fraction);
    }
    if (strategy.name == "accurate") {
        const bool is_full = wanted + running - pending > headroom;
        return {"accurate", is_full ? headroom - running : wanted - pending, scale_to};
    }
    if (strategy.name == "eager") return {"eager", std::min(headroom - running - pending, wanted), headroom};
    return {"default", wanted - running, scale_to};
}

}  // namespace gputide::jobs
