#include "http/middle/breaker.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::http {
namespace {

constexpr std::int64_t longest_patience_ms = 3'600'000;

}  // namespace

bool breaker::admit(std::int64_t now_ms) {
    if (state_ == circuit::open && now_ms >= until_ms_) {
        state_ = circuit::half_open;
        trial_under_way_ = false;
    }
    if (state_ == circuit::closed) return true;
    if (state_ == circuit::open || trial_under_way_) return false;
    trial_under_way_ = true;
    return true;
}

void breaker::succeeded() {
    // A response to a request sent before the breaker opened does not close it: the trial does.
    failures_ = 0;
    if (state_ == circuit::open) return;
    state_ = circuit::closed;
    trials_ = 0;
    trial_under_way_ = false;
}

void breaker::open(std::int64_t until_ms) {
    if (state_ != circuit::open) ++openings_;
    state_ = circuit::open;
    trial_under_way_ = false;
    until_ms_ = until_ms;
}

// Returns base × 2^(failed trials), at most cap, ± 10 %.  1,000 ms, third failed trial, uniform 0.5 → 8,000 ms.
void breaker::failed(const breaker_rule& rule, std::int64_t now_ms, double uniform) {
    ++failures_;
    const bool trial = state_ == circuit::half_open;
    if (state_ == circuit::open || (!trial && failures_ < rule.failures)) return;
    if (trial) ++trials_;
    const double wait_ms = static_cast<double>(rule.base_ms) * std::exp2(std::min(trials_, 30));
    const double most_ms = static_cast<double>(std::max(rule.base_ms, rule.cap_ms));
    open(now_ms + static_cast<std::int64_t>(std::min(wait_ms, most_ms) * (0.9 + 0.2 * uniform)));
}

void breaker::note_patience(std::int64_t until_ms, std::int64_t now_ms) {
    const std::int64_t held_ms = std::min(until_ms, now_ms + longest_patience_ms);
    open(state_ == circuit::open ? std::max(until_ms_, held_ms) : held_ms);
}

void breaker::given_up() { trial_under_way_ = false; }

const char* circuit_name(circuit state) noexcept {
    switch (state) {
        case circuit::closed:
            return "closed";
        case circuit::open:
            return "open";
        case circuit::half_open:
            return "half_open";
    }
    return "unknown";
}

}  // namespace gputide::http
