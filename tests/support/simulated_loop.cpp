#include "support/simulated_loop.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <utility>

namespace gputide::testing {

void simulated_loop::advance_to(std::int64_t steady_ms) {
    for (;;) {
        const std::int64_t next_ms = due_.next_ms();
        if (next_ms > steady_ms) break;
        now_ms_ = std::max(now_ms_, next_ms);
        ready_.clear();
        due_.take(now_ms_, 64, ready_);
        for (const runtime::schedule::item& item : ready_) {
            event& here = events_[item.key];
            if (!here.live || here.stamp != item.stamp) continue;
            event now = std::move(here);
            here = {};
            here.stamp = item.stamp + 1;
            free_.push_back(item.key);
            --live_;
            if (now.fire) now.fire();
            if (now.done) now.done(std::move(now.got));
        }
    }
    now_ms_ = std::max(now_ms_, steady_ms);
}

http::ticket simulated_loop::add(std::int64_t due_ms, event what) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(events_.size()));
        events_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    event& here = events_[place];
    what.stamp = here.stamp;
    what.live = true;
    here = std::move(what);
    ++live_;
    due_.add({due_ms, place, here.stamp});
    // Below the numbers that other loops give out on top of this one.
    return (std::uint64_t{here.stamp} << 32U | (std::uint64_t{place} + 1)) & ((std::uint64_t{1} << 62U) - 1);
}

http::ticket simulated_loop::send(http::outgoing what, std::int64_t deadline_ms, callback<void(http::answer)> done) {
    simulated_answer next;
    if (deadline_ms <= now_ms_) {
        next.what.fault = http::fault::deadline;
    } else if (auto refused = http::refused_unsent(what)) {
        next.what = std::move(*refused);
    } else {
        ++requests_;
        next = peer_(what);
    }
    const std::int64_t limit_ms = std::min(what->attempt_timeout_ms, std::max<std::int64_t>(0, deadline_ms - now_ms_));
    if (next.delay_ms > limit_ms) {
        next.what = {};
        next.what.fault = limit_ms == what->attempt_timeout_ms ? http::fault::timeout : http::fault::deadline;
        next.what.fault_text = "timed out";
        next.delay_ms = limit_ms;
    }
    event made;
    made.done = std::move(done);
    made.got = std::move(next.what);
    return add(now_ms_ + next.delay_ms, std::move(made));
}

http::ticket simulated_loop::after(std::int64_t delay_ms, callback<void()> fire) {
    event made;
    made.fire = std::move(fire);
    return add(now_ms_ + std::max<std::int64_t>(0, delay_ms), std::move(made));
}

void simulated_loop::cancel(http::ticket which) {
    const auto place = static_cast<std::uint32_t>(which) - 1;
    if (place >= events_.size()) return;
    event& here = events_[place];
    if (!here.live || (here.stamp & 0x3fffffffU) != static_cast<std::uint32_t>(which >> 32U)) return;
    event gone = std::move(here);
    here = {};
    here.stamp = gone.stamp + 1;
    free_.push_back(place);
    --live_;
}

double simulated_loop::uniform() {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(random_ >> 11U) * 0x1.0p-53;
}

}  // namespace gputide::testing
