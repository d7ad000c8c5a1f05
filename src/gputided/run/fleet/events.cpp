// Events of the runtime: a scaler is due and needs its size, or a decision was made.  Writes of a replica count begin when the state
// file contains them, are recorded when they end, and are completed after a crash.
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "run/fleet/fleet.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gputided {

namespace {

constexpr int max_events = 256;  // per turn

gputide::observation observation_of(const target_size& size, bool readable, std::int64_t now_ms) {
    gputide::observation out;
    out.at(now_ms).current(size.spec);
    if (size.status >= 0) out.existing(size.status);
    if (size.ready >= 0) out.ready(size.ready);
    if (!readable) out.unreadable();
    return out;
}

}  // namespace

void fleet::turn() {
    jobs_.finish_done();
    for (int i = 0; i < max_events; ++i) {
        const std::optional<gputide::event> event = runtime_.next_event(0);
        if (!event) return;
        take(*event);
    }
}

void fleet::take(const gputide::event& event) {
    hosted* scaler = at(event.id());
    if (scaler == nullptr) return;
    try {
        if (event.is_due()) {
            scaler->is_due = true;
            scaler->deadline_ms = 0;
            if (!scaler->is_busy) prepare(event.id(), *scaler);
        } else {
            decided(event.id(), *scaler, event);
        }
    } catch (const gputide::failure& failed) {
        board_.change(scaler->name.scaler, [](scaler_numbers& numbers) { ++numbers.tick_failures; });
        board_.problems().set_single(scaler->name.scaler, code::no_decision, failure_text(failed));
    }
}

// Prepares a poll: reads the size, and completes an interrupted write.
void fleet::prepare(std::uint64_t id, hosted& scaler) {
    if (access_.read) return read_size(id, scaler);
    if (!scaler.under_way.empty() && access_.write) return finish_interrupted_write(id, scaler);
    give_size(id, scaler, true);
}

void fleet::read_size(std::uint64_t id, hosted& scaler) {
    scaler.is_busy = true;
    jobs_.add([this, id, name = scaler.name] {
        const size_read read = access_.read(name);
        return [this, id, read] {
            hosted* here = at(id);
            if (here == nullptr) return;
            here->is_busy = false;
            board_.problems().set_single(here->name.scaler, code::size_unknown, read.why);
            if (read.size) here->size = *read.size;
            if (read.size && !here->under_way.empty()) finish_interrupted_write(id, *here);
            if (here->is_due) give_size(id, *here, read.size.has_value());
        };
    });
}

void fleet::give_size(std::uint64_t id, hosted& scaler, bool readable) {
    scaler.is_due = false;
    scaler.asked_at_ms = steady_now_ms();
    scaler.deadline_ms = scaler.asked_at_ms + options_.timeout_ms + slack_ms;
    try {
        runtime_.observe(id, observation_of(scaler.size, readable, unix_now_ms()));
    } catch (const gputide::failure& failed) {
        board_.problems().set_single(scaler.name.scaler, code::no_decision, failure_text(failed));
    }
}

void fleet::decided(std::uint64_t id, hosted& scaler, const gputide::event& event) {
    const std::int64_t wait_ms = std::max<std::int64_t>(0, event.decision.c.next_due_ms - unix_now_ms());
    scaler.deadline_ms = steady_now_ms() + wait_ms + slack_ms;
    count(id, scaler, event);
    if (const auto line = lines_.line_of(scaler.name.scaler, event)) output_.print(*line);
    if (event.decision.wants_write() && access_.write) {
        // The state is saved with this write before the write begins, so that a crash at any time is noticed.
        scaler.under_way = event.report;
        scaler.is_busy = true;
        writes_.push_back({id, event.decision, event.report});
    }
    keep_state(id, scaler);
}

void fleet::count(std::uint64_t id, hosted& scaler, const gputide::event& event) {
    const bool was_read = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
    const std::string described = was_read ? runtime_.describe(id) : std::string();
    const double took_s = static_cast<double>(steady_now_ms() - scaler.asked_at_ms) / 1000.0;
    problem_list& problems = board_.problems();
    problems.set_single(scaler.name.scaler, code::no_decision, "");
    if ((event.decision.c.flags & GPUTIDE_DECIDED_ACTIVE) != 0)
        problems.set_single(scaler.name.scaler, code::no_history, "");
    board_.take_decision(scaler.name.scaler, event, described, took_s);
    if (event.decision.wants_write() && !access_.write) {
        board_.add_change(scaler.name.scaler, event.decision, std::nullopt);
    }
}

std::vector<int> fleet::descriptors() { return {runtime_.wake_fd(), jobs_.wake_fd()}; }

std::int64_t fleet::deadline_ms() const {
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    for (const auto& [id, scaler] : scalers_) {
        if (scaler.deadline_ms > 0) out = std::min(out, scaler.deadline_ms);
    }
    return out;
}

namespace {

gputide::decision decision_of(const json& report) {
    gputide::decision out;
    out.c.id = report.value("id", std::uint64_t{0});
    out.c.current_replicas = report.at("current_replicas");
    out.c.desired_replicas = report.at("desired_replicas");
    out.c.source = report.at("source") == "executor" ? GPUTIDE_SOURCE_EXECUTOR : GPUTIDE_SOURCE_HPA;
    if (report.value("event", "") == "KEDAScaleTargetActivated") out.c.event = GPUTIDE_ACTIVATED;
    return out;
}

// Returns the members of a write for the audit log.
ordered_json audited(const target_name& name, const gputide::decision& decision, const std::string& report,
                     const std::string& failure) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"namespace", scaler.space}, {"name", scaler.name},
            {"target", name.target},     {"from", decision.current()},
            {"to", decision.desired()},  {"written", failure.empty()},
            {"failure", failure},        {"why", last_sentence(json_elements(json_member(report, "trace")))},
            {"decision", decision.c.id}};
}

}  // namespace

void fleet::saved() {
    urgent_ = changed_ = false;
    for (const write& next : std::exchange(writes_, {})) begin_write(next);
}

void fleet::begin_write(const write& next) {
    const hosted* scaler = at(next.id);
    if (scaler == nullptr) return;
    jobs_.add([this, next, name = scaler->name] {
        const std::string why = access_.write(name, next.decision, next.report);
        return [this, next, name, why] {
            output_.audit().add("write", audited(name, next.decision, next.report, why));
            hosted* here = at(next.id);
            if (here == nullptr) return;  // removed while the command was running
            const bool written = why.empty();
            board_.problems().set_single(here->name.scaler, code::write_failed, why);
            settle(next.id, *here, next.decision, written);
            if (written) here->size = {next.decision.desired(), -1, -1};
            idle_again(next.id, *here);
        };
    });
}

void fleet::settle(std::uint64_t id, hosted& scaler, gputide::decision decision, bool written) {
    const std::int64_t now_ms = unix_now_ms();
    output_.print(applied_line(scaler.name.scaler, decision.desired(), written, now_ms));
    try {
        runtime_.record(id, decision, written, now_ms);
    } catch (const gputide::failure& failed) {
        board_.problems().set_single(scaler.name.scaler, code::no_decision, failure_text(failed));
    }
    scaler.under_way.clear();
    board_.change(scaler.name.scaler, [&](scaler_numbers& numbers) { add_write(numbers, decision, written); });
    board_.add_change(scaler.name.scaler, decision, written);
    keep_state(id, scaler);
    urgent_ = true;
}

void fleet::idle_again(std::uint64_t id, hosted& scaler) {
    scaler.is_busy = false;
    if (scaler.is_due) prepare(id, scaler);
}

// Completes a write that a crash interrupted.  If the size can be observed, it shows whether the write was done.  Otherwise the
// write is repeated, which is harmless because the count is absolute.
void fleet::finish_interrupted_write(std::uint64_t id, hosted& scaler) {
    const std::string report = scaler.under_way;
    const json decided = json::parse(report);
    gputide::decision interrupted = decision_of(decided);
    interrupted.c.now_ms = parse_time_ms(text_at(decided, "time"));  // identifies the decision in the state
    const std::string change = std::to_string(interrupted.current()) + " -> " + std::to_string(interrupted.desired());
    const std::string news = scaler.name.scaler + ": the last run ended while it wrote " + change;
    if (access_.read) {
        const bool happened = scaler.size.spec == interrupted.desired();
        log_line(news + (happened ? "; it was written" : "; it was not written"), log_level::warning);
        output_.audit().add("write", audited(scaler.name, interrupted, report,
                                             happened ? "" : "the last run ended before it was written"));
        return settle(id, scaler, interrupted, happened);
    }
    log_line(news + "; writing it again", log_level::warning);
    scaler.is_busy = true;
    begin_write({id, interrupted, report});
}

void fleet::keep_state(std::uint64_t id, hosted& scaler) {
    changed_ = true;
    if (options_.state.empty()) return;
    try {
        scaler.state = runtime_.save(id);
    } catch (const gputide::failure& failed) {
        board_.problems().set_single(scaler.name.scaler, code::no_decision, failure_text(failed));
    }
}

saved_scalers fleet::all_states() const {
    saved_scalers out;
    for (const auto& [id, scaler] : scalers_) {
        out[scaler.name.scaler] = {scaler.state, scaler.size.spec, scaler.under_way, scaler.file};
    }
    return out;
}

void fleet::stop(std::int32_t timeout_ms) {
    try {
        runtime_.stop(timeout_ms);
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed), log_level::warning);
    }
    jobs_.end();
}

}  // namespace gputided
