// Steps of operations, work from other threads, and retries.
#include "http/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

namespace gputide::http {

void steps::carry(std::shared_ptr<exchange> step) {
    if (!over_) {
        step_ = std::move(step);
    } else if (step) {
        step->cancel();
    }
}

void steps::after(std::int64_t delay_ms, callback<void()> next) {
    if (over_) return;
    if (timer_ != 0) loop_.cancel(timer_);
    timer_ = loop_.after(delay_ms, [self = shared_from_this(), next = std::move(next)] {
        self->timer_ = 0;
        if (!self->over_) next();
    });
}

bool steps::end(bool cancels_step) {
    if (std::exchange(over_, true)) return false;
    if (const ticket timer = std::exchange(timer_, 0); timer != 0) loop_.cancel(timer);
    const auto step = std::exchange(step_, nullptr);
    if (cancels_step && step) step->cancel();
    return true;
}

void posted::cancel() {
    if (over_.exchange(true)) return;
    try {
        loop_.after(0, [self = shared_from_this()] { self->stop(); });
    } catch (const std::bad_alloc&) {  // the caller of cancel() is often about to be destroyed
    }
}

void posted::stop() {
    over_ = true;
    if (const ticket turn = turn_; turn != 0) loop_.cancel(turn);
    if (const auto begun = std::exchange(begun_, nullptr)) begun->cancel();
}

void posted::carry(std::shared_ptr<exchange> begun) { begun_ = std::move(begun); }

bool posted::end() {
    const auto ended = std::exchange(begun_, nullptr);
    return !over_.exchange(true);
}

std::shared_ptr<posted> post_work(loop& runs_on,
                                  callback<std::shared_ptr<exchange>(const std::shared_ptr<posted>& handle)> start) {
    auto out = std::make_shared<posted>(runs_on);
    out->begins_at(runs_on.after(0, [out, start = std::move(start)] {
        if (!out->over()) out->carry(start(out));
    }));
    return out;
}

// The delay formula, the server's Retry-After, and the exchange that applies both on a loop.

retry_rule no_repeat() {
    retry_rule out;
    out.max_retries = 0;
    return out;
}

bool again_by_status(const answer& reply) {
    switch (reply.fault) {
        case fault::none:
            return meaning_of_status(reply.response.status).retryable;
        case fault::resolve:
        case fault::connect:
        case fault::reset:
        case fault::timeout:
            return true;
        default:
            return false;
    }
}

// Returns base × (2^k − 1) × j, j = 0.8 + 0.5 u, limited to the cap. 800 ms, k = 2, u = 0.4 → 800 × 3 × 1.0 = 2400 ms.
// Azure/azure-sdk-for-go sdk/azcore/runtime/policy_retry.go, calcDelay.
std::int64_t computed_delay_ms(const retry_rule& rule, std::int32_t retry, double uniform) {
    const double steps = std::exp2(std::min(retry, 62)) - 1.0;
    const double wait = static_cast<double>(rule.base_ms) * steps * (0.8 + 0.5 * uniform);
    if (!(wait < static_cast<double>(rule.cap_ms))) return rule.cap_ms;
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(wait));
}

namespace {

// Attempts with delays between them.
class retrying final : public operation<retried> {
  public:
    retrying(http::loop& runs_on, outgoing request, retry_rule rule, std::int64_t deadline_ms,
             callback<void(retried)> done)
        : operation(runs_on, deadline_ms, std::move(done)), request_(std::move(request)), rule_(std::move(rule)) {}

    void cancel() override {
        operation::cancel();
        if (const ticket sent = std::exchange(sent_, 0); sent != 0) loop().cancel(sent);
    }

    void attempt() {
        ++attempts_;
        sent_ = loop().send(request_, deadline_ms(), [self = shared_from_this(), this](answer&& reply) {
            sent_ = 0;
            if (!over()) judge(std::move(reply));
        });
    }

  private:
    // Repeats the request after a delay, or finishes.
    void judge(answer&& reply) {
        retried out{std::move(reply), attempts_, 0, false};
        const std::int64_t wall_ms = loop().wall_ms();
        const double uniform = loop().uniform();
        const bool again = rule_.again ? rule_.again(out.last) : again_by_status(out.last);
        if (!again) return finish(std::move(out));
        // 0: no Retry-After; a Retry-After of 0 counts as none.
        const std::int64_t asked = out.last.arrived() ? wished_delay_ms(out.last.response, wall_ms).value_or(0) : 0;
        const std::int64_t wait = asked > 0 ? asked : computed_delay_ms(rule_, attempts_, uniform);
        if (out.last.held || attempts_ > rule_.max_retries || asked > rule_.cap_ms) {
            if (asked > 0) out.retry_at_ms = wall_ms + asked;
        } else if (wait >= deadline_ms() - loop().steady_ms()) {
            out.past_deadline = true;
            out.retry_at_ms = wall_ms + wait;
        } else {
            return after(wait, [this] { attempt(); });
        }
        finish(std::move(out));
    }

    const outgoing request_;
    const retry_rule rule_;
    ticket sent_ = 0;
    std::int32_t attempts_ = 0;
};

}  // namespace

std::shared_ptr<exchange> send_with_retry(loop& runs_on, outgoing request, retry_rule rule, std::int64_t deadline_ms,
                                          callback<void(retried)> done) {
    auto out = std::make_shared<retrying>(runs_on, std::move(request), std::move(rule), deadline_ms, std::move(done));
    out->attempt();
    return out;
}

}  // namespace gputide::http
