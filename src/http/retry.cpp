// The wait formula, the peer's own wish for patience, and the exchange that puts both over a loop.
#include "http/retry.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "http/failure.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace gputide::http {

namespace {

constexpr std::int64_t longest_wish_ms = std::int64_t{365} * 24 * 3'600 * 1'000;  // more is read as this much

std::optional<std::int64_t> positive(std::int64_t amount, std::int64_t unit_ms) {
    if (amount <= 0) return std::nullopt;
    return amount >= longest_wish_ms / unit_ms ? longest_wish_ms : amount * unit_ms;
}

// A whole number of units.  Digits alone: "+5", "1.5" and "5s" are unreadable, which counts as no header.
std::optional<std::int64_t> whole(std::string_view text, std::int64_t unit_ms) {
    text = trim(text);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return positive(parse_int64(text).value_or(longest_wish_ms), unit_ms);
}

std::optional<std::int64_t> until_date(std::string_view text, const response& from, std::int64_t wall_ms) {
    const auto date = parse_http_date(trim(text));
    if (!date) return std::nullopt;
    const auto sent = from.header("Date");
    const auto sent_ms = sent ? parse_http_date(trim(*sent)) : std::nullopt;
    return positive(*date - sent_ms.value_or(wall_ms), 1);
}

}  // namespace

bool again_by_status(const answer& got) {
    switch (got.fault) {
        case fault::none:
            return meaning_of_status(got.response.status).retryable;
        case fault::resolve:
        case fault::connect:
        case fault::reset:
        case fault::timeout:
            return true;
        default:
            return false;
    }
}

std::optional<std::int64_t> asked_delay_ms(const response& from, std::int64_t wall_ms) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
        const auto value = from.header(name);
        if (const auto asked = value ? whole(*value, 1) : std::nullopt) return asked;
    }
    const auto value = from.header("Retry-After");
    if (!value) return std::nullopt;
    if (const auto asked = whole(*value, 1'000)) return asked;
    return until_date(*value, from, wall_ms);
}

// base × (2^k − 1) × j, j = 0.8 + 0.5 u, then the cap.  800 ms, k = 2, u = 0.4 → 800 × 3 × 1.0 = 2400 ms.
// Azure/azure-sdk-for-go sdk/azcore/runtime/policy_retry.go, calcDelay.
std::int64_t computed_delay_ms(const retry_rule& rule, std::int32_t retry, double uniform) {
    const double steps = std::exp2(std::min(retry, 62)) - 1.0;
    const double wait = static_cast<double>(rule.base_ms) * steps * (0.8 + 0.5 * uniform);
    if (!(wait < static_cast<double>(rule.cap_ms))) return rule.cap_ms;
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(wait));
}

next_step after_answer(const retry_rule& rule, const answer& got, std::int32_t attempts, const moment& now,
                       double uniform) {
    next_step out;
    const bool again = rule.again ? rule.again(got) : again_by_status(got);
    if (!again) return out;
    // 0: nothing asked, as a wish of 0 counts as none.
    const std::int64_t asked = got.arrived() ? asked_delay_ms(got.response, now.wall_ms).value_or(0) : 0;
    if (got.held) {
        if (asked > 0) out.retry_at_ms = now.wall_ms + asked;
        return out;
    }
    const std::int64_t wait = asked > 0 ? asked : computed_delay_ms(rule, attempts, uniform);
    if (attempts > rule.most_retries || asked > rule.cap_ms) {
        if (asked > 0) out.retry_at_ms = now.wall_ms + asked;
    } else if (wait >= now.deadline_ms - now.steady_ms) {
        out.past_deadline = true;
        out.retry_at_ms = now.wall_ms + wait;
    } else {
        out.wait_ms = wait;
    }
    return out;
}

namespace {

// One exchange.  The loop's callbacks hold it alive; `ticket_` is whatever it waits for now.
class retrying final : public exchange, public std::enable_shared_from_this<retrying> {
  public:
    retrying(loop& on, outgoing what, retry_rule rule, std::int64_t deadline_ms, std::function<void(retried)> done)
        : loop_(on),
          what_(std::move(what)),
          rule_(std::move(rule)),
          deadline_ms_(deadline_ms),
          done_(std::move(done)) {}

    void attempt() {
        const std::lock_guard lock(mutex_);
        if (!done_) return;
        ++attempts_;
        ticket_ =
            loop_.send(what_, deadline_ms_, [self = shared_from_this()](answer got) { self->judge(std::move(got)); });
    }

    void cancel() override {
        std::function<void(retried)> dropped;  // destroyed outside the lock
        ticket waiting = 0;
        {
            const std::lock_guard lock(mutex_);
            dropped.swap(done_);
            waiting = std::exchange(ticket_, 0);
        }
        if (waiting != 0) loop_.cancel(waiting);
    }

  private:
    void judge(answer got) {
        const moment now{loop_.steady_ms(), loop_.wall_ms(), deadline_ms_};
        std::function<void(retried)> finished;
        next_step next;
        {
            const std::lock_guard lock(mutex_);
            if (!done_) return;
            next = after_answer(rule_, got, attempts_, now, loop_.uniform());
            if (next.wait_ms >= 0) {
                ticket_ = loop_.after(next.wait_ms, [self = shared_from_this()] { self->attempt(); });
                return;
            }
            ticket_ = 0;
            finished.swap(done_);
        }
        finished({std::move(got), attempts_, next.retry_at_ms, next.past_deadline});
    }

    loop& loop_;
    std::mutex mutex_;
    const outgoing what_;
    const retry_rule rule_;
    const std::int64_t deadline_ms_;
    std::function<void(retried)> done_;  // empty: over
    ticket ticket_ = 0;
    std::int32_t attempts_ = 0;
};

}  // namespace

std::shared_ptr<exchange> send_with_retry(loop& on, outgoing what, retry_rule rule, std::int64_t deadline_ms,
                                          std::function<void(retried)> done) {
    auto out = std::make_shared<retrying>(on, std::move(what), std::move(rule), deadline_ms, std::move(done));
    out->attempt();
    return out;
}

}  // namespace gputide::http
