#include "daemon.hpp"

#include "exposition.hpp"
#include "log.hpp"
#include "status_json.hpp"
#include "status_page.hpp"

#include <algorithm>
#include <poll.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <utility>
#include <vector>

namespace gputided {
namespace {

constexpr std::int64_t slack_ms = 60'000;  // what a busy machine may add to a turn of the loop
constexpr int look_each_ms = 1'000;        // at folders, and at a state that is not saved yet
constexpr std::int32_t stop_timeout_ms = 500;

// systemd's Type=notify-reload wants to know when the reload began, by the monotonic clock.
void tell_reloading() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto us = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
    ::sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", us);
}

states states_in(const std::string& path) { return !path.empty() && exists(path) ? read_states(path) : states(); }

}  // namespace

// Folders are looked at before they are read: what changes between the two is seen as a change.
scaling_daemon::scaling_daemon(const run_options& with, signals& heard)
    : scaling_daemon(with, heard, manifest_reader(with.common), folder_watch(with.common.files)) {}

scaling_daemon::scaling_daemon(const run_options& with, signals& heard, manifest_reader reader, folder_watch folders)
    : scaling_daemon(with, heard, reader, std::move(folders), reader.read_first()) {}

scaling_daemon::scaling_daemon(const run_options& with, signals& heard, manifest_reader& reader, folder_watch folders,
                               manifest_set first)
    : with_(with),
      state_lock_(with.state),
      heard_(heard),
      reader_(std::move(reader)),
      folders_(std::move(folders)),
      saved_(states_in(with.state)),
      fleet_(with_, target_by_commands(with, heard.stop_fd()), board_, first.scalers.size()),
      alive_until_ms_(steady_now_ms() + slack_ms) {
    fleet_.apply(first, saved_, false);
    tell_broken(first.broken, "started without a manifest that has an error: ");
}

void scaling_daemon::run() {
    fleet_.start();
    ::sd_notify(0, "READY=1");
    while (!heard_.stopping()) {
        wait();
        if (heard_.take_reload()) reload();
        look_at_folders();
        fleet_.turn();
        save_where_wanted(false);
        show_health();
    }
    ::sd_notify(0, "STOPPING=1");
    fleet_.stop(stop_timeout_ms);
    save_where_wanted(true);
}

void scaling_daemon::wait() {
    std::vector<pollfd> ends;
    for (const int one : fleet_.descriptors()) ends.push_back({one, POLLIN, 0});
    for (const int one : {heard_.stop_fd(), heard_.reload_fd()}) ends.push_back({one, POLLIN, 0});
    ::poll(ends.data(), ends.size(), look_each_ms);
}

void scaling_daemon::show_health() {
    alive_until_ms_ = std::min(steady_now_ms() + slack_ms, fleet_.patience_ms());
    if (ready_) return;
    ready_ = board_.read([](const numbers& all) {
        return std::all_of(all.scalers.begin(), all.scalers.end(),
                           [](const auto& one) { return one.second.decisions > 0; });
    });
}

// Files with an error change nothing of what they held.
void scaling_daemon::reload() {
    tell_reloading();
    const bool good = read_again(false);
    board_.change_own([&](numbers& own) { ++(good ? own.reloads : own.reload_failures); });
    if (good) log_line("manifests read again, scalers: " + std::to_string(fleet_.size()));
    ::sd_notify(0, "READY=1");
}

void scaling_daemon::look_at_folders() {
    if (steady_now_ms() - looked_ms_ < look_each_ms) return;
    looked_ms_ = steady_now_ms();
    if (!folders_.changed()) return;
    static_cast<void>(read_again(true));
    log_line("the folder has changed, scalers: " + std::to_string(fleet_.size()));
}

bool scaling_daemon::read_again(bool changed_folders) {
    manifest_set next = reader_.read(changed_folders);
    fleet_.apply(next, saved_, !changed_folders);
    if (!changed_folders) broken_.clear();  // who asks for a reload is told everything
    tell_broken(next.broken, "the old manifests stay: ");
    return broken_.empty();
}

// Each once.
void scaling_daemon::tell_broken(const std::map<std::string, std::string>& broken, const std::string& meaning) {
    for (const auto& [file, why] : broken) {
        const auto known = broken_.find(file);
        if (known == broken_.end() || known->second != why) log_line(meaning + why);
    }
    for (const auto& [file, why] : broken_) {
        if (broken.count(file) == 0) log_line(file + ": is in use again");
    }
    broken_ = broken;
    board_.change_own([&](numbers& own) { own.broken = broken; });
}

void scaling_daemon::save_where_wanted(bool at_the_end) {
    const bool due = fleet_.wants_save() && steady_now_ms() - saved_ms_ >= look_each_ms;
    if (!due && !at_the_end && !fleet_.wants_save_now()) return;
    save();
    fleet_.saved();
}

// A state that cannot be written is told, not fatal: the decisions themselves go on.
void scaling_daemon::save() {
    saved_ms_ = steady_now_ms();
    if (with_.state.empty()) return;
    try {
        states all = fleet_.all_states();
        if (!broken_.empty()) all.insert(saved_.begin(), saved_.end());  // their scalers may still come
        write_states(with_.state, all);
    } catch (const usage_error& failed) {
        log_line(std::string("--state is not saved: ") + failed.what());
        board_.change_own([](numbers& own) { ++own.state_save_failures; });
    }
}

web_answer scaling_daemon::answer(const web_request& to) {
    if (to.path == "/healthz") {
        if (steady_now_ms() < alive_until_ms_) return {200, plain_text, "ok\n"};
        return {503, plain_text, "the loop is stuck\n"};
    }
    if (to.path == "/readyz") {
        if (ready_) return {200, plain_text, "ready\n"};
        return {503, plain_text, "not every scaler has taken a decision yet\n"};
    }
    if (to.path == "/") return status_page();
    if (to.path == "/metrics") {
        const std::string page = board_.read(
            [&](const numbers& all) { return metrics_page(all, fleet_.runtime_stats(), fleet_.children()); });
        return {200, "text/plain; version=0.0.4; charset=utf-8", page};
    }
    if (to.path == "/status.json") {
        const std::string mode = with_.dry_run ? "dry run" : "";
        return data(board_.read([&](const numbers& all) { return status_json(all, fleet_.runtime_stats(), mode); }));
    }
    if (to.path == "/history.json") {
        const std::string body = board_.read([&](const numbers& all) { return history_json(all, to.scaler); });
        return body.empty() ? web_answer{404, plain_text, "no scaler of that name is run\n"} : data(body);
    }
    return {404, plain_text, "not here; there are /metrics, /healthz, /readyz and /\n"};
}

}  // namespace gputided
