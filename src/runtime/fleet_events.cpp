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
    return one != nullptr && one->has_event() && one->event_stamp == place.stamp ? one : nullptr;
}

// A poll that is due waits until observe() has told what is true of the target.
void fleet::call_host(std::uint32_t index, member& one) {
    if (!one.has_event()) {
        line_up({index, slots_[index].generation}, one);
        ++stats_.events;
    }
    one.awaited = true;
    one.called = false;
    told_.notify_one();
}

// Its place in the line stays and is passed over.
std::uint32_t fleet::untell(member& one) {
    if (one.has_event() && --stats_.events_waiting == 0) to_.events_waiting(false);
    one.called = one.awaited;
    return std::exchange(one.untold, 0);
}

std::optional<fleet_event> fleet::take_event() {
    const std::lock_guard hold(lock_);
    for (; !events_.empty(); events_.pop_front()) {
        member* one = waiting_at(events_.front());
        if (one == nullptr) continue;
        fleet_event out;
        out.id = id_of(events_.front().of);
        out.name = one->name();
        out.sequence = ++sequence_;
        ++stats_.events_taken;
        if (one->untold == 0) {
            out.is_due = true;
            untell(*one);
            events_.pop_front();
            return out;
        }
        out.observed_ms = one->seen.time_ms();
        out.made = one->of.last_decision();
        out.report = std::move(one->report);
        one->report.clear();
        out.replaced = std::exchange(one->untold, 0) - 1;
        if (one->has_event()) return out;  // its next poll is due already: the place in the line is for that now
        events_.pop_front();
        if (--stats_.events_waiting == 0) to_.events_waiting(false);
        return out;
    }
    return std::nullopt;
}

void fleet::put_back(fleet_event event) {
    const std::lock_guard hold(lock_);
    --stats_.events_taken;
    if (event.sequence == sequence_) --sequence_;  // nobody saw the number
    member* one = at(event.id);
    if (one == nullptr) return;
    if (event.is_due) {
        if (one->awaited && !one->has_event()) line_up(reference_of(event.id), *one);
        one->called = false;
        return;
    }
    if (!one->has_event()) line_up(reference_of(event.id), *one);
    if (one->untold == 0) one->report = std::move(event.report);
    one->untold += event.replaced + 1;
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
