// Circuit breakers.  Declared in traffic.hpp.
#include "base/format_text.hpp"
#include "http/exchange.hpp"
#include "http/middle/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace gputide::http {

namespace {

constexpr std::int64_t remembered_ms = 7'200'000;  // twice the maximum Retry-After

enum class scope { none, sender, all_senders };

struct verdict {
    scope failed = scope::none;
    std::int64_t asked_wait_ms = 0;  // Retry-After of the response; 0: none
};

// Classifies a response by its endpoint and sender, not by its request: a rejected query still shows a working endpoint.
verdict verdict_of(const request& request, const answer& answer, std::int64_t wall_ms) {
    switch (answer.fault) {
        case fault::none:
            break;
        case fault::resolve:
        case fault::connect:
        case fault::reset:
            // The sender's own breaker may be closed while the endpoint's is open.
            return {request.tls && !request.tls->connect_to.empty() ? scope::sender : scope::all_senders};
        case fault::timeout:
        case fault::deadline:
        case fault::tls_verify:
        case fault::tls_handshake:
            return {scope::sender};
        default:
            return {};
    }
    const std::int32_t status = answer.response.status;
    if (status == 429) return {scope::sender, wished_delay_ms(answer.response, wall_ms).value_or(0)};
    if (status == 503) return {scope::all_senders, wished_delay_ms(answer.response, wall_ms).value_or(0)};
    return {status == 502 || status == 504 ? scope::all_senders : scope::none};
}

bool is_open(const breaker& breaker, std::int64_t now_ms) {
    return breaker.state() == circuit::open && now_ms < breaker.until_ms();
}

template <class Table>
auto found_in(Table& senders, const request& request) {
    return senders.empty() ? senders.end() : senders.find(request);
}

}  // namespace

bool circuits::holds(const request& request, std::int64_t now_ms) const {
    if (is_open(all_senders_.breaker, now_ms)) return true;
    const auto own = found_in(senders_, request);
    return own != senders_.end() && is_open(own->second.circuit.breaker, now_ms);
}

circuits::passage circuits::admit(const request& request, std::int64_t now_ms) {
    if (holds(request, now_ms)) return passage::held;
    const auto own = found_in(senders_, request);
    if (!all_senders_.breaker.admit(now_ms)) return passage::waiting;
    if (own == senders_.end()) return passage::free;
    own->second.seen_ms = now_ms;
    if (own->second.circuit.breaker.admit(now_ms)) return passage::free;
    all_senders_.breaker.given_up();
    return passage::held;
}

answer circuits::held_answer(const request& request, std::int64_t now_ms) const {
    const auto own = found_in(senders_, request);
    const bool is_own = all_senders_.breaker.state() == circuit::closed && own != senders_.end();
    const guarded& failing = is_own ? own->second.circuit : all_senders_;
    answer out = failing.last_failure;
    out.held = true;
    const std::int64_t left_ms = std::max<std::int64_t>(0, failing.breaker.until_ms() - now_ms);
    const std::string left_s = std::to_string((left_ms + 999) / 1'000);
    if (out.arrived()) {
        out.response.headers = {{"Retry-After", left_s}};
    } else {
        out.fault_text +=
            format_text(" ({} times in a row, so no requests are sent to the endpoint {}for now; next trial in {} s)",
                        failing.breaker.failures(), is_own ? "with these settings " : "", left_s);
    }
    return out;
}

bool circuits::judge(const request& request, const answer& answer, const breaker_rule& rule, std::int64_t now_ms,
                     std::int64_t wall_ms, double uniform) {
    const verdict said = verdict_of(request, answer, wall_ms);
    if (said.failed == scope::none || (said.failed == scope::sender && answer.arrived())) {
        all_senders_.breaker.succeeded();
    } else if (said.failed == scope::sender) {
        all_senders_.breaker.given_up();
    }
    if (const auto own = found_in(senders_, request); own != senders_.end() && said.failed != scope::sender) {
        if (said.failed == scope::none) own->second.circuit.breaker.succeeded();
        if (said.failed == scope::all_senders) own->second.circuit.breaker.given_up();
        if (own->second.circuit.breaker.state() == circuit::closed) senders_.erase(own);
    }
    if (said.failed == scope::none) return false;

    guarded& failing = said.failed == scope::sender ? joined(request, now_ms).circuit : all_senders_;
    failing.last_failure.fault = answer.fault;
    failing.last_failure.fault_text = answer.fault_text;
    failing.last_failure.response = {answer.response.status, {}, {}};
    if (said.asked_wait_ms > 0) {
        failing.breaker.note_asked_wait(now_ms + said.asked_wait_ms, now_ms);
    } else {
        failing.breaker.failed(rule, now_ms, uniform);
    }
    return true;
}

void circuits::given_up(const request& request) {
    all_senders_.breaker.given_up();
    if (const auto own = found_in(senders_, request); own != senders_.end()) own->second.circuit.breaker.given_up();
}

circuits::sender& circuits::joined(const request& request, std::int64_t now_ms) {
    auto own = found_in(senders_, request);
    if (own == senders_.end()) {
        if (senders_.size() >= forget_at_) forget_silent(now_ms);
        http::request example = request;
        example.url.clear();
        example.body = {};
        own = senders_.try_emplace(std::move(example)).first;
    }
    own->second.seen_ms = now_ms;
    return own->second;
}

// Removes the senders of removed scalers and of old tokens.
void circuits::forget_silent(std::int64_t now_ms) {
    std::erase_if(senders_, [&](const auto& entry) { return entry.second.seen_ms + remembered_ms < now_ms; });
    forget_at_ = std::max<std::size_t>(64, 2 * senders_.size());
}

bool circuits::idle(std::int64_t now_ms) const {
    return all_senders_.breaker.failures() == 0 && all_senders_.breaker.state() == circuit::closed &&
           std::ranges::all_of(senders_,
                               [&](const auto& entry) { return entry.second.seen_ms + remembered_ms < now_ms; });
}

namespace {

constexpr std::int64_t longest_asked_wait_ms = 3'600'000;

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
    // A response to a request sent before the breaker opened does not close it; only the trial does.
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

// Records a failure.  Opens the circuit for base × 2^(failed trials), at most cap, ± 10 %. 1,000 ms, third failed trial, uniform
// 0.5 → 8,000 ms.
void breaker::failed(const breaker_rule& rule, std::int64_t now_ms, double uniform) {
    ++failures_;
    const bool trial = state_ == circuit::half_open;
    if (state_ == circuit::open || (!trial && failures_ < rule.failures)) return;
    if (trial) ++trials_;
    const double wait_ms = static_cast<double>(rule.base_ms) * std::exp2(std::min(trials_, 30));
    const double max_ms = static_cast<double>(std::max(rule.base_ms, rule.cap_ms));
    open(now_ms + static_cast<std::int64_t>(std::min(wait_ms, max_ms) * (0.9 + 0.2 * uniform)));
}

void breaker::note_asked_wait(std::int64_t until_ms, std::int64_t now_ms) {
    const std::int64_t held_ms = std::min(until_ms, now_ms + longest_asked_wait_ms);
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
