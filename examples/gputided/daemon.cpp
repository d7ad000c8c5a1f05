#include "daemon.hpp"

#include "files.hpp"
#include "log.hpp"

#include <algorithm>
#include <limits>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <utility>

namespace gputided {
namespace {

constexpr std::int64_t slack_ms = 60'000;  // what a busy machine may add to the time that a tick is given

constexpr char size_is_assumed[] =
    ": taken to have 1 replica at the start; give --observe CMD, or --current N, if that is not so";

// The longest that one scaler may keep the loop: --observe, the fetch, --exec, for a write that was cut off and for its own.
std::int64_t longest_tick_ms(const run_options& with) {
    return with.timeout_ms + 3 * std::int64_t{with.child_timeout_ms} + slack_ms;
}

// systemd's Type=notify-reload wants to know when the reload began, by the monotonic clock.
void tell_reloading() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto us = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
    ::sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", us);
}

// A scaler that was there before goes on where it was.
void take_over(hosted& next, std::vector<hosted>& from) {
    const auto before =
        std::find_if(from.begin(), from.end(), [&](const hosted& one) { return one.name == next.name; });
    if (before == from.end()) return;
    next.size = before->size;
    next.under_way = before->under_way;
    next.numbers = before->numbers;
    next.told = before->told;
    try {
        next.scaler.load(before->scaler.save());
    } catch (const gputide::failure& unfit) {
        log_line(next.name + ": starts with a fresh state: " + said(unfit));
    }
}

}  // namespace

scaling_daemon::scaling_daemon(const run_options& with, signals& heard)
    : with_(with),
      state_lock_(with.state),
      heard_(heard),
      target_(target_by_commands(with, heard.stop_fd())),
      scalers_(open_scalers()),
      alive_until_ms_(unix_now_ms() + longest_tick_ms(with)) {
    restore(scalers_);
    publish();
}

std::vector<hosted> scaling_daemon::open_scalers() const {
    const std::vector<manifest_file> files = read_manifests(with_.common);
    std::vector<hosted> out;
    for (const std::string& name : scaler_names(with_.common, files)) {
        out.push_back({name, open_scaler(name, with_.common, files), {with_.current >= 0 ? with_.current : 1}});
    }
    return out;
}

void scaling_daemon::restore(std::vector<hosted>& scalers) const {
    const bool any = !with_.state.empty() && exists(with_.state);
    const states saved = any ? read_states(with_.state) : states();
    for (hosted& one : scalers) {
        const auto found = saved.find(one.name);
        if (found == saved.end()) {
            if (!target_.read && with_.current < 0) log_line(one.name + size_is_assumed);
            continue;
        }
        one.scaler.load(found->second.state);
        one.size = {found->second.replicas};
        one.under_way = found->second.under_way;
    }
}

void scaling_daemon::run() {
    ::sd_notify(0, "READY=1");
    for (wake why = wake::due; why != wake::stop; why = heard_.wait_until(earliest_due())) {
        if (why == wake::reload) reload();
        tick_those_due();
    }
    ::sd_notify(0, "STOPPING=1");
}

void scaling_daemon::tick_those_due() {
    for (hosted& one : scalers_) {
        if (heard_.stopping()) return;
        if (one.next_due_ms > unix_now_ms()) continue;
        alive_until_ms_ = unix_now_ms() + longest_tick_ms(with_);
        tick(one, {target_, with_.timeout_ms, heard_.cancel(), [this] { save(); }});
        publish();
        save();
    }
    ready_ = std::all_of(scalers_.begin(), scalers_.end(), [](const hosted& one) { return one.numbers.decisions > 0; });
}

std::int64_t scaling_daemon::earliest_due() {
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    for (const hosted& one : scalers_) out = std::min(out, one.next_due_ms);
    alive_until_ms_ = out + slack_ms;
    return out;
}

// Manifests with an error change nothing.
void scaling_daemon::reload() {
    tell_reloading();
    try {
        std::vector<hosted> next = open_scalers();
        for (hosted& one : next) take_over(one, scalers_);
        scalers_ = std::move(next);
        log_line("manifests read again, scalers: " + std::to_string(scalers_.size()));
        const std::lock_guard hold(lock_);
        ++numbers_.reloads;
    } catch (const gputide::failure& wrong) {
        log_line("the old manifests stay: " + said(wrong));
        const std::lock_guard hold(lock_);
        ++numbers_.reload_failures;
    } catch (const usage_error& wrong) {
        log_line(std::string("the old manifests stay: ") + wrong.what());
        const std::lock_guard hold(lock_);
        ++numbers_.reload_failures;
    }
    publish();
    ::sd_notify(0, "READY=1");
}

void scaling_daemon::publish() {
    const std::lock_guard hold(lock_);
    numbers_.scalers.clear();
    for (const hosted& one : scalers_) numbers_.scalers[one.name] = one.numbers;
}

// A state that cannot be written is told, not fatal: the decisions themselves go on.
void scaling_daemon::save() {
    if (with_.state.empty()) return;
    try {
        states all;
        for (const hosted& one : scalers_) all[one.name] = {one.scaler.save(), one.size.spec, one.under_way};
        write_states(with_.state, all);
    } catch (const usage_error& failed) {
        log_line(std::string("--state is not saved: ") + failed.what());
        const std::lock_guard hold(lock_);
        ++numbers_.state_save_failures;
    }
}

web_answer scaling_daemon::answer(const std::string& path) {
    if (path == "/healthz") {
        if (unix_now_ms() < alive_until_ms_) return {200, plain_text, "ok\n"};
        return {503, plain_text, "the loop is stuck\n"};
    }
    if (path == "/readyz") {
        if (ready_) return {200, plain_text, "ready\n"};
        return {503, plain_text, "not every scaler has taken a decision yet\n"};
    }
    const std::lock_guard hold(lock_);
    if (path == "/metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_page(numbers_)};
    if (path == "/") return {200, plain_text, status_page(numbers_)};
    return {404, plain_text, "not here; there are /metrics, /healthz, /readyz and /\n"};
}

}  // namespace gputided
