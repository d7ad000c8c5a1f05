#include "host.hpp"

#include "files.hpp"
#include "log.hpp"
#include "reads.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

namespace gputided {
namespace {

using steady = std::chrono::steady_clock;
constexpr std::int64_t after_failure_ms = 15'000;  // a tick without a decision comes again after one HPA period
constexpr std::int64_t least_period_ms = 1'000;    // a period of 0 means "at every call": here once a second

gputide::observation seen_of(const target_size& size, bool readable, std::int64_t now_ms) {
    gputide::observation out;
    out.at(now_ms).current(size.spec);
    if (size.status >= 0) out.existing(size.status);
    if (size.ready >= 0) out.ready(size.ready);
    if (!readable) out.unreadable();
    return out;
}

bool observe(hosted& one, const target& from) {
    if (!from.read) return true;
    const std::optional<target_size> size = from.read(one.name);
    if (size) one.size = *size;
    return size.has_value();
}

void settle(hosted& one, gputide::decision& made, bool written) {
    one.scaler.record(made, written, unix_now_ms());
    one.under_way.clear();
    if (!written) {
        ++one.numbers.write_failures;
        return;
    }
    ++(made.desired() > made.current() ? one.numbers.scaled_up : one.numbers.scaled_down);
    one.size = {made.desired(), -1, -1};
}

// The state says "under way" before the write begins, so that a crash at any moment leaves a trace of it.
void act(hosted& one, gputide::decision& next, const std::string& report, const surroundings& with) {
    if (!next.wants_write() || !with.to.write) return;
    one.under_way = report;
    with.save();
    settle(one, next, with.to.write(one.name, next, report));
}

gputide::decision decision_of(const nlohmann::json& report) {
    gputide::decision out;
    out.c.current_replicas = report.at("current_replicas");
    out.c.desired_replicas = report.at("desired_replicas");
    out.c.source = report.at("source") == "executor" ? GPUTIDE_FROM_EXECUTOR : GPUTIDE_FROM_HPA;
    if (report.value("event", "") == "KEDAScaleTargetActivated") out.c.event = 1;
    return out;
}

// A write that a crash cut off.  An observed size tells whether it happened; without one it is done again, which is
// harmless, as it is a number and not a difference.
void finish_cut_off_write(hosted& one, const surroundings& with) {
    if (one.under_way.empty()) return;
    const std::string report = one.under_way;
    gputide::decision cut_off = decision_of(nlohmann::json::parse(report));
    const std::string change = std::to_string(cut_off.current()) + " -> " + std::to_string(cut_off.desired());
    if (with.to.read) {
        const bool happened = one.size.spec == cut_off.desired();
        log_line(one.name + ": the last run ended while it wrote " + change +
                 (happened ? "; it was written" : "; it was not"));
        const target_size seen = one.size;
        settle(one, cut_off, happened);
        one.size = seen;
    } else if (with.to.write) {
        log_line(one.name + ": the last run ended while it wrote " + change + "; it is written again");
        settle(one, cut_off, with.to.write(one.name, cut_off, report));
    }
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

void count(hosted& one, const gputide::decision& next) {
    scaler_numbers& numbers = one.numbers;
    numbers.last = next.c;
    ++numbers.decisions;
    ++numbers.limited[next.limited_by()];
    if (next.c.limited_by == GPUTIDE_LIMIT_NOT_DUE) return;  // nothing was read
    numbers.reads = last_reads(one.scaler);
    for (const metric_read& read : numbers.reads) {
        if (!read.error_status.empty()) ++numbers.errors[read.error_status];
        tell_change(one, read);
    }
}

void print_decision(const std::string& report) {
    if (std::cout << report << "\n" << std::flush) return;
    std::cout.clear();
    log_line("standard output takes no more decisions");
}

void decide(hosted& one, bool readable, const surroundings& with) {
    std::string report;
    gputide::decision next =
        one.scaler.tick(seen_of(one.size, readable, unix_now_ms()), with.timeout_ms, &report, &with.stop);
    one.next_due_ms = std::max(next.c.next_due_ms, unix_now_ms() + least_period_ms);
    count(one, next);
    print_decision(report);
    act(one, next, report, with);
}

}  // namespace

void tick(hosted& one, const surroundings& with) {
    const steady::time_point started = steady::now();
    one.next_due_ms = unix_now_ms() + after_failure_ms;
    try {
        const bool readable = observe(one, with.to);
        if (readable) finish_cut_off_write(one, with);
        decide(one, readable, with);
    } catch (const gputide::failure& failed) {
        if (failed.status() == GPUTIDE_E_CANCELLED) return;
        ++one.numbers.tick_failures;
        log_line(one.name + ": " + said(failed));
    }
    one.numbers.tick_seconds += std::chrono::duration<double>(steady::now() - started).count();
}

}  // namespace gputided
