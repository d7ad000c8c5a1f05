// Sample age and missing data; see sample.hpp.
#include "decide/rules/sample.hpp"

#include "base/saturate.hpp"

namespace gputide::decide {

namespace {

bool is_no_data(sample_state state) noexcept {
    return state == sample_state::empty || state == sample_state::not_a_number || state == sample_state::stale;
}

sample without_value(const sample& read, sample_state state) noexcept {
    sample out = read;
    out.state = state;
    out.status = status::no_data;
    out.value = 0.0;
    out.null_as_zero = false;
    return out;
}

sample zero_instead(const sample& read) noexcept {
    sample out = read;
    out.state = sample_state::ok;
    out.status = status::ok;
    out.value = 0.0;
    return out;
}

bool too_old(const config::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept {
    return rules.max_age_ms > 0 && read.time_ms > 0 && subtract_saturating(now_ms, read.time_ms) > rules.max_age_ms;
}

}  // namespace

ruled_sample apply_sample_rules(const config::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept {
    using config::no_data_rule;
    ruled_sample out{read, no_data_action::none};
    if (read.state == sample_state::ok && read.null_as_zero && rules.no_data != no_data_rule::as_original) {
        out.value = without_value(read, sample_state::empty);
    } else if (read.state == sample_state::ok && too_old(rules, read, now_ms)) {
        out.value = without_value(read, sample_state::stale);
    }
    if (!is_no_data(out.value.state)) return out;
    switch (rules.no_data) {
        case no_data_rule::as_original:
            break;
        case no_data_rule::hold:
            out.action = no_data_action::hold;
            break;
        case no_data_rule::fallback:
            out.action = no_data_action::fallback;
            break;
        case no_data_rule::zero:
            out.value = zero_instead(out.value);
            break;
        case no_data_rule::error:
            out.action = no_data_action::error;
            break;
    }
    return out;
}

}  // namespace gputide::decide
