// Events: a size is wanted, a decision was taken, a command has ended.
#include "fleet.hpp"

#include "files.hpp"
#include "log.hpp"
#include "reads.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <utility>

namespace gputided {
namespace {

constexpr std::int64_t slack_ms = 60'000;  // what a busy machine may add
constexpr int most_events = 256;           // in one turn

gputide::observation seen_of(const target_size& size, bool readable, std::int64_t now_ms) {
    gputide::observation out;
    out.at(now_ms).current(size.spec);
    if (size.status >= 0) out.existing(size.status);
    if (size.ready >= 0) out.ready(size.ready);
    if (!readable) out.unreadable();
    return out;
}

gputide::decision decision_of(const nlohmann::json& report) {
    gputide::decision out;
    out.c.current_replicas = report.at("current_replicas");
    out.c.desired_replicas = report.at("desired_replicas");
    out.c.source = report.at("source") == "executor" ? GPUTIDE_FROM_EXECUTOR : GPUTIDE_FROM_HPA;
    if (report.value("event", "") == "KEDAScaleTargetActivated") out.c.event = 1;
    return out;
}

// The text without its digits: times, ports and durations differ at every failure.
std::string kind_of(const metric_read& read) {
    std::string out = read.error_status + read.error;
    out.erase(std::remove_if(out.begin(), out.end(), [](char c) { return c >= '0' && c <= '9'; }), out.end());
    return out;
}

// A failure is told when it comes, when it changes and when it goes, not at every tick.
void tell_change(hosted& one, const metric_read& read) {
    const std::string kind = kind_of(read);
    std::string& told = one.told[read.name];
    if (kind == told) return;
    log_line(one.name + ": " + read.name + ": " +
             (kind.empty() ? "reads again" : read.error_status + ": " + read.error));
    told = kind;
}

void print_decision(const std::string& report) {
    if (std::cout << report << "\n" << std::flush) return;
    std::cout.clear();
    log_line("standard output takes no more decisions");
}

}  // namespace

void fleet::turn() {
    jobs_.finish_those_done();
    for (int i = 0; i < most_events; ++i) {
        const std::optional<gputide::event> event = runtime_.next_event(0);
        if (!event) return;
        take(*event);
    }
}

void fleet::take(const gputide::event& event) {
    hosted* one = at(event.id());
    if (one == nullptr) return;
    try {
        if (event.is_due()) {
            one->is_due = true;
            one->patience_ms = 0;
            if (!one->is_busy) prepare(event.id(), *one);
        } else {
            decided(event.id(), *one, event);
        }
    } catch (const gputide::failure& failed) {
        board_.change(one->name, [](scaler_numbers& numbers) { ++numbers.tick_failures; });
        log_line(one->name + ": " + said(failed));
    }
}

// Whatever must happen before the runtime may poll: the size is read, and a write that was cut off is done.
void fleet::prepare(std::uint64_t id, hosted& one) {
    if (to_.read) return read_size(id, one);
    if (!one.under_way.empty() && to_.write) return finish_cut_off_write(id, one);
    tell_size(id, one, true);
}

void fleet::tell_size(std::uint64_t id, hosted& one, bool readable) {
    one.is_due = false;
    one.asked_at_ms = steady_now_ms();
    one.patience_ms = one.asked_at_ms + with_.timeout_ms + slack_ms;
    board_.change(one.name, [&](scaler_numbers& numbers) { numbers.size_unknown = !readable; });
    try {
        runtime_.observe(id, seen_of(one.size, readable, unix_now_ms()));
    } catch (const gputide::failure& failed) {
        log_line(one.name + ": " + said(failed));
    }
}

void fleet::read_size(std::uint64_t id, hosted& one) {
    one.is_busy = true;
    jobs_.add([this, id, name = one.name] {
        const std::optional<target_size> size = to_.read(name);
        return [this, id, size] {
            hosted* here = at(id);
            if (here == nullptr) return;
            here->is_busy = false;
            if (size) here->size = *size;
            if (size && !here->under_way.empty()) finish_cut_off_write(id, *here);
            if (here->is_due) tell_size(id, *here, size.has_value());
        };
    });
}

void fleet::decided(std::uint64_t id, hosted& one, const gputide::event& event) {
    const std::int64_t wait_ms = std::max<std::int64_t>(0, event.decision.c.next_due_ms - unix_now_ms());
    one.patience_ms = steady_now_ms() + wait_ms + slack_ms;
    count(id, one, event);
    print_decision(event.report);
    if (event.decision.wants_write() && to_.write) {
        // The state says "under way" before the write begins, so that a crash at any moment leaves a trace of it.
        one.under_way = event.report;
        one.is_busy = true;
        writes_.push_back({id, event.decision, event.report});
    }
    keep_state(id, one);
}

void fleet::count(std::uint64_t id, hosted& one, const gputide::event& event) {
    const bool was_read = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
    const std::vector<metric_read> reads = was_read ? last_reads(runtime_.describe(id)) : std::vector<metric_read>();
    const double took_s = static_cast<double>(steady_now_ms() - one.asked_at_ms) / 1000.0;
    board_.change(one.name, [&](scaler_numbers& numbers) { add_decision(numbers, event, reads, took_s); });
    for (const metric_read& read : reads) tell_change(one, read);
}

void fleet::saved() {
    urgent_ = changed_ = false;
    for (const write& next : std::exchange(writes_, {})) begin_write(next);
}

void fleet::begin_write(const write& next) {
    const hosted* one = at(next.id);
    if (one == nullptr) return;
    jobs_.add([this, next, name = one->name] {
        const bool written = to_.write(name, next.made, next.report);
        return [this, next, written] {
            if (hosted* here = at(next.id); here != nullptr) {
                settle(next.id, *here, next.made, written);
                if (written) here->size = {next.made.desired(), -1, -1};
                idle_again(next.id, *here);
            }
        };
    });
}

void fleet::settle(std::uint64_t id, hosted& one, gputide::decision made, bool written) {
    try {
        runtime_.record(id, made, written, unix_now_ms());
    } catch (const gputide::failure& failed) {
        log_line(one.name + ": " + said(failed));
    }
    one.under_way.clear();
    board_.change(one.name, [&](scaler_numbers& numbers) { add_write(numbers, made, written); });
    keep_state(id, one);
    urgent_ = true;
}

void fleet::idle_again(std::uint64_t id, hosted& one) {
    one.is_busy = false;
    if (one.is_due) prepare(id, one);
}

// A write that a crash cut off.  An observed size tells whether it happened; without one it is done again, which is
// harmless, as it is a number and not a difference.
void fleet::finish_cut_off_write(std::uint64_t id, hosted& one) {
    const std::string report = one.under_way;
    const gputide::decision cut_off = decision_of(nlohmann::json::parse(report));
    const std::string change = std::to_string(cut_off.current()) + " -> " + std::to_string(cut_off.desired());
    if (to_.read) {
        const bool happened = one.size.spec == cut_off.desired();
        log_line(one.name + ": the last run ended while it wrote " + change +
                 (happened ? "; it was written" : "; it was not"));
        return settle(id, one, cut_off, happened);
    }
    log_line(one.name + ": the last run ended while it wrote " + change + "; it is written again");
    one.is_busy = true;
    begin_write({id, cut_off, report});
}

void fleet::keep_state(std::uint64_t id, hosted& one) {
    changed_ = true;
    if (with_.state.empty()) return;
    try {
        one.state = runtime_.save(id);
    } catch (const gputide::failure& failed) {
        log_line(one.name + ": " + said(failed));
    }
}

states fleet::all_states() const {
    states out;
    for (const auto& [id, one] : scalers_) out[one.name] = {one.state, one.size.spec, one.under_way};
    return out;
}

void fleet::stop(std::int32_t timeout_ms) {
    try {
        runtime_.stop(timeout_ms);
    } catch (const gputide::failure& failed) {
        log_line(said(failed));
    }
    jobs_.end();
}

std::vector<int> fleet::descriptors() { return {runtime_.wake_fd(), jobs_.descriptor()}; }

std::int64_t fleet::patience_ms() const {
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    for (const auto& [id, one] : scalers_) {
        if (one.patience_ms > 0) out = std::min(out, one.patience_ms);
    }
    return out;
}

hosted* fleet::at(std::uint64_t id) {
    const auto found = scalers_.find(id);
    return found == scalers_.end() ? nullptr : &found->second;
}

}  // namespace gputided
