// What the host is told: one event a scaler at most waits, and it carries the newest decision.
#include "runtime/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gputide::runtime {

void fleet::tell(std::uint32_t index, member& one, const decide::decision& before) {
    const bool waits = one.untold > 0;
    const bool worth = with_.every_decision || worth_telling(before, one.of.last_decision());
    if (!waits && !worth) {
        one.report.clear();
        return;
    }
    if (waits) {
        ++stats_.events_replaced;
    } else {
        line_up({index, slots_[index].generation}, one);
        ++stats_.events;
    }
    ++one.untold;
    told_.notify_one();
}

void fleet::line_up(const reference& which, member& one) {
    if (events_.size() > 2 * slots_.size() + 64) {  // places given up, by scalers that come and go
        events_.erase(std::remove_if(events_.begin(), events_.end(),
                                     [this](const event_place& place) { return waiting_at(place) == nullptr; }),
                      events_.end());
    }
    events_.push_back({which, one.event_stamp + 1});
    ++one.event_stamp;
    if (++stats_.events_waiting == 1) to_.events_waiting(true);
}

member* fleet::waiting_at(const event_place& place) const {
    member* one = at(place.of);
    return one != nullptr && one->untold > 0 && one->event_stamp == place.stamp ? one : nullptr;
}

// Its place in the line stays and is passed over.
std::uint32_t fleet::untell(member& one) {
    const std::uint32_t untold = std::exchange(one.untold, 0);
    if (untold > 0 && --stats_.events_waiting == 0) to_.events_waiting(false);
    return untold;
}

std::optional<fleet_event> fleet::take_event() {
    const std::lock_guard hold(lock_);
    for (; !events_.empty(); events_.pop_front()) {
        member* one = waiting_at(events_.front());
        if (one == nullptr) continue;
        fleet_event out;
        out.id = id_of(events_.front().of);
        out.name = one->name();
        out.observed_ms = one->seen.time_ms();
        out.made = one->of.last_decision();
        out.report = std::move(one->report);
        one->report.clear();
        out.sequence = ++sequence_;
        out.replaced = untell(*one) - 1;
        events_.pop_front();
        ++stats_.events_taken;
        return out;
    }
    return std::nullopt;
}

void fleet::put_back(fleet_event event) {
    const std::lock_guard hold(lock_);
    member* one = at(event.id);
    if (one == nullptr) return;
    if (one->untold == 0) {
        line_up(reference_of(event.id), *one);
        one->report = std::move(event.report);
    }
    one->untold += event.replaced + 1;
    --stats_.events_taken;
}

bool fleet::has_event() const {
    const std::lock_guard hold(lock_);
    return stats_.events_waiting > 0;
}

bool fleet::wait_event(std::int64_t most_ms, const std::function<bool()>& give_up) const {
    std::unique_lock hold(lock_);
    const auto over = [&] { return stats_.events_waiting > 0 || give_up(); };
    told_.wait_for(hold, std::chrono::milliseconds(most_ms), over);
    return stats_.events_waiting > 0;
}

void fleet::rouse() const {
    const std::lock_guard hold(lock_);  // one who has just looked is waiting by now
    told_.notify_all();
}

fleet_stats fleet::stats() const {
    const std::lock_guard hold(lock_);
    fleet_stats out = stats_;
    out.scheduled = schedule_.size() + (due_.size() - next_);
    out.stalls = pace_.stalls();
    out.stalled_ms = pace_.stalled_ms();
    out.clock_steps_back = pace_.steps_back();
    out.questions = questions_.size();
    out.traffic = traffic_->stats();
    out.sharing = sharing_->stats();
    return out;
}

}  // namespace gputide::runtime
