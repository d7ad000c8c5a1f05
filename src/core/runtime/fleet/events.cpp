// Events for the host: at most one waits per scaler, with its newest decision.
#include "runtime/fleet/fleet.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gputide::runtime {

void fleet::announce(std::uint32_t index, hosted_scaler& hosted, const decide::decision& before) {
    const bool waits = hosted.waiting_decisions > 0;
    const bool worth = options_.every_decision || is_news(before, hosted.scaler.last_decision());
    if (!waits && !worth) {
        hosted.report.reset();
        return;
    }
    if (waits) {
        ++stats_.events_replaced;
    } else {
        line_up({index, slots_[index].generation}, hosted);
        ++stats_.events;
    }
    ++hosted.waiting_decisions;
    event_came_.notify_one();
}

void fleet::hand_over(std::uint32_t index, hosted_scaler& hosted) const {
    hosted.unrecorded.reserve();  // the last call that may fail
    hosted.unrecorded.add(hosted.scaler.last_decision());
    hosted.acts->decided(id_of({index, slots_[index].generation}), hosted.scaler);
}

void fleet::queue_note(scaler_id id, std::string name, std::string json) {
    fleet_event note;
    note.is_note = true;
    note.id = id;
    note.name = std::move(name);
    note.report = std::move(json);
    const std::lock_guard hold(lock_);
    if (notes_.size() == max_notes) {
        notes_.pop_front();
        --stats_.events_waiting;
        ++stats_.events_dropped;
    }
    notes_.push_back(std::move(note));
    ++stats_.events;
    if (++stats_.events_waiting == 1) signals_.events_waiting(true);
    event_came_.notify_one();
}

fleet_event fleet::take_note() {
    fleet_event out = std::move(notes_.front());
    notes_.pop_front();
    out.sequence = ++sequence_;
    ++stats_.events_taken;
    if (--stats_.events_waiting == 0) signals_.events_waiting(false);
    return out;
}

void fleet::line_up(const slot_use& use, hosted_scaler& hosted) {
    if (events_.size() > 2 * slots_.size() + 64) {  // many obsolete entries, of removed scalers
        events_.erase(std::remove_if(events_.begin(), events_.end(),
                                     [this](const queued_event& entry) { return waiting_at(entry) == nullptr; }),
                      events_.end());
    }
    events_.push_back({use, hosted.event_stamp + 1});
    ++hosted.event_stamp;
    if (++stats_.events_waiting == 1) signals_.events_waiting(true);
}

hosted_scaler* fleet::waiting_at(const queued_event& entry) const {
    hosted_scaler* hosted = at(entry.use);
    return hosted != nullptr && hosted->has_event() && hosted->event_stamp == entry.stamp ? hosted : nullptr;
}

// Announces a due poll, which waits until observe() has provided the state of the target.
void fleet::await_host(std::uint32_t index, hosted_scaler& hosted) {
    if (!hosted.has_event()) {
        line_up({index, slots_[index].generation}, hosted);
        ++stats_.events;
    }
    hosted.awaits_observation = true;
    hosted.due_event_taken = false;
    event_came_.notify_one();
}

// Drops a scaler's event; its entry in the queue is skipped later.
std::uint32_t fleet::drop_event(hosted_scaler& hosted) {
    if (hosted.has_event() && --stats_.events_waiting == 0) signals_.events_waiting(false);
    hosted.due_event_taken = hosted.awaits_observation;
    return std::exchange(hosted.waiting_decisions, 0);
}

std::optional<fleet_event> fleet::take_event() {
    const std::lock_guard hold(lock_);
    if (!notes_.empty()) return take_note();
    for (; !events_.empty(); events_.pop_front()) {
        hosted_scaler* hosted = waiting_at(events_.front());
        if (hosted == nullptr) continue;
        fleet_event out;
        out.name = hosted->name();
        const bool is_hosts = hosted->acts == nullptr;
        if (is_hosts && hosted->waiting_decisions > 0) hosted->unrecorded.reserve();  // the last call that may fail
        out.id = id_of(events_.front().use);
        out.tag = hosted->tag;
        out.sequence = ++sequence_;
        ++stats_.events_taken;
        if (hosted->waiting_decisions == 0) {
            out.is_due = true;
            drop_event(*hosted);
            events_.pop_front();
            return out;
        }
        out.observed_ms = hosted->observation.time_ms();
        out.decision = hosted->scaler.last_decision();
        if (is_hosts) hosted->unrecorded.add(out.decision);
        if (hosted->report) out.report = std::move(*hosted->report);
        hosted->report.reset();
        out.replaced = std::exchange(hosted->waiting_decisions, 0) - 1;
        if (hosted->has_event()) return out;  // its next poll is due too: the entry is now for that
        events_.pop_front();
        if (--stats_.events_waiting == 0) signals_.events_waiting(false);
        return out;
    }
    return std::nullopt;
}

void fleet::put_back(fleet_event event) {
    auto report = event.report.empty() ? nullptr : std::make_unique<std::string>(std::move(event.report));
    const std::lock_guard hold(lock_);
    --stats_.events_taken;
    if (event.sequence == sequence_) --sequence_;  // the number was not visible to the host
    if (event.is_note) {
        event.report = std::move(*report);
        notes_.push_front(std::move(event));
        if (++stats_.events_waiting == 1) signals_.events_waiting(true);
        return;
    }
    hosted_scaler* hosted = at(event.id);
    if (hosted == nullptr) return;
    if (event.is_due) {
        if (hosted->awaits_observation && !hosted->has_event()) line_up(use_of(event.id), *hosted);
        hosted->due_event_taken = false;
        return;
    }
    if (!hosted->acts) hosted->unrecorded.withdraw(event.decision);
    if (!hosted->has_event()) line_up(use_of(event.id), *hosted);
    if (hosted->waiting_decisions == 0) hosted->report = std::move(report);
    hosted->waiting_decisions += event.replaced + 1;
}

bool fleet::has_event() const {
    const std::lock_guard hold(lock_);
    return stats_.events_waiting > 0;
}

bool fleet::wait_event(std::int64_t limit_ms, function_ref<bool()> give_up) const {
    std::unique_lock hold(lock_);
    const auto over = [&] { return stats_.events_waiting > 0 || give_up(); };
    event_came_.wait_for(hold, std::chrono::milliseconds(limit_ms), over);
    return stats_.events_waiting > 0;
}

void fleet::rouse() const {
    const std::lock_guard hold(lock_);  // a thread that has just checked the condition is waiting by now
    event_came_.notify_all();
}

}  // namespace gputide::runtime
