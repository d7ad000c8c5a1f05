// Writes of a replica count.  They begin when the state file contains them, are recorded when they end, and are completed after a
// crash.
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "run/fleet/fleet.hpp"

#include <utility>

namespace gputided {

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
