// The loop of gputided run -f: a thread waits for signals, changed files, events of the runtime and finished commands, and handles
// them.  The web server uses its own thread.
#include "common/log.hpp"
#include "common/text.hpp"
#include "run/fleet/fleet.hpp"
#include "run/pages/pages.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/file.h>
#include <system_error>
#include <systemd/sd-daemon.h>
#include <time.h>

namespace gputided {

namespace {

constexpr int check_interval_ms = 1'000;  // for folders, and for an unsaved state
constexpr std::int32_t fleet_stop_timeout_ms = 500;
constexpr std::size_t max_logged_changes = 20;  // per reading; the audit log has all of them

// Tells systemd that a reload starts.  Type=notify-reload needs the time from the monotonic clock.
void notify_reloading() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto now_us = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
    ::sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", now_us);
}

saved_scalers states_at(const std::string& path) {
    return !path.empty() && exists(path) ? read_states(path) : saved_scalers();
}

owner_files owners_of(const saved_scalers& saved) {
    owner_files out;
    for (const auto& [name, scaler] : saved) {
        if (!scaler.file.empty()) out[name] = scaler.file;
    }
    return out;
}

// Locks PATH.lock, so that only one process uses a state file.  The lock ends with the descriptor.  path "": no lock.  Throws
// usage_error if another process has the lock or the file cannot be written.
unique_descriptor lock_state(const std::string& path) {
    if (path.empty()) return unique_descriptor();
    unique_descriptor out(::open((path + ".lock").c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out.is_open())
        throw usage_error("--state " + path + ": the state cannot be written there: " + std::strerror(errno));
    if (::flock(out.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return out;
    throw usage_error(path + ": another gputided uses this state file; give each instance its own --state file");
}

class scaling_daemon : public paged_daemon {
  public:
    scaling_daemon(const run_options& options, signals& signals, run_output& output)
        : paged_daemon(options, options.dry_run ? "dry run" : "", output),
          signals_(signals),
          lock_(lock_state(options.state)),
          saved_(states_at(options.state)),
          folders_(options.shared.files),
          reader_(options.shared),
          first_(reader_.read_first(owners_of(saved_))),
          fleet_(options, board_, output, first_.scalers.size()) {
        manifest_set first = std::move(first_);
        fleet_.apply(first, saved_, false);
        files_ = first.files;
        output_.audit().add("start",
                            {{"version", gputide_version()}, {"scalers", fleet_.size()}, {"dry_run", options.dry_run}});
        note_unhandled(first);
        note_broken(first, "a manifest with an error is not used: ");
        output_.flush_gathered(true);
        alive_until_ms_ = steady_now_ms() + slack_ms;  // reading many manifests takes time
        if (saved_.empty()) return;
        log_line(options_.state + ": contains the state of " + counted(saved_.size(), "scaler") +
                 " without a manifest, such as " + saved_.begin()->first);
    }

    void run() override {
        output_.audit().flush();
        fleet_.start();
        ::sd_notify(0, "READY=1");
        while (!signals_.stopping()) {
            fleet_.wait({{signals_.stop_fd(), POLLIN, 0}, {signals_.reload_fd(), POLLIN, 0}}, check_interval_ms);
            if (signals_.take_reload()) reload();
            look_at_folders();
            fleet_.turn();
            output_.audit().flush();  // before the state file forgets the finished writes
            save_if_due(false);
            update_health();
            if (take_due(noticed_ms_, notice_interval_ms))
                notice_process(board_.problems(), fleet_.runtime_stats(), output_.audit().failure());
            output_.flush_gathered(false);
        }
        ::sd_notify(0, "STOPPING=1");
        fleet_.stop(fleet_stop_timeout_ms);
        save_if_due(true);
        output_.stopped(ordered_json::object({{"scalers", fleet_.size()}}));
    }

  protected:
    web_answer readiness() const override {
        if (ready_) return {200, plain_text, "ready\n"};
        return {503, plain_text, "not every scaler has taken a decision yet\n"};
    }

    std::string runtime_stats() const override { return fleet_.runtime_stats(); }
    children_numbers children() const override { return fleet_.children(); }

  private:
    // Reads the manifests again.  A file with an error changes none of its scalers.
    void reload() {
        notify_reloading();
        const bool good = read_again(reading::everything);
        board_.change_own([&](numbers& own) { ++(good ? own.reloads : own.reload_failures); });
        if (good) log_line("manifests read again, scalers: " + std::to_string(fleet_.size()));
        ::sd_notify(0, "READY=1");
    }

    void look_at_folders() {
        if (!take_due(looked_ms_, check_interval_ms) || !folders_.changed()) return;
        static_cast<void>(read_again(reading::folders));
    }

    // Returns false if a file has an error.
    bool read_again(reading scope) {
        owner_files owners = owners_of(saved_);
        for (auto& [name, file] : fleet_.owners()) owners[name] = file;
        manifest_set next = reader_.read(scope, owners, folders_.unsettled());
        const bool everything = scope == reading::everything;
        fleet_.apply(next, saved_, everything);
        note_changes(next);
        note_unhandled(next);
        note_broken(next, "the previous manifests stay in use: ");
        return next.broken.empty();
    }

    // Logs the changes.  A file with an error keeps its last valid text, although next.files may contain the new text if only a
    // scaler in it cannot be opened.
    void note_changes(const manifest_set& next) {
        std::vector<manifest_file> now;
        for (const manifest_file& file : next.files) {
            if (!is_broken(file.name, next)) now.push_back(file);
        }
        for (const manifest_file& file : files_) {
            if (is_broken(file.name, next)) now.push_back(file);
        }
        const std::vector<std::string> changes = changes_between(files_, now);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            output_.audit().add("configuration", ordered_json::object({{"change", changes[i]}}));
            if (i < max_logged_changes) log_line(changes[i]);
        }
        if (changes.size() > max_logged_changes)
            log_line("and " + counted(changes.size() - max_logged_changes, "more change"));
        files_ = std::move(now);
    }

    void note_unhandled(const manifest_set& set) {
        std::vector<problem> now;
        for (const unhandled_object& object : set.unhandled)
            now.push_back({code::not_handled, object.name, "", object.text});
        board_.problems().set("unhandled", "", std::move(now));
    }

    // Reports a problem per file with an error.  While the reason is the same, its text is kept.
    void note_broken(const manifest_set& set, const std::string& meaning) {
        std::vector<problem> now;
        for (const auto& [file, reason] : set.broken) {
            auto& [known, text] = broken_[file];
            if (std::exchange(known, reason) != reason) text = meaning + reason;
            now.push_back({.code = code::manifest_refused, .object = file, .text = text, .is_file = true});
        }
        std::erase_if(broken_, [&](const auto& entry) {
            const std::string& file = entry.first;
            if (set.broken.count(file) > 0) return false;
            std::error_code unknown;  // if the status cannot be read, the file may be there
            if (!std::filesystem::exists(file, unknown) && !unknown) board_.problems().forget_in("files", file);
            return true;
        });
        board_.problems().set("files", "", std::move(now));
        board_.change_own([&](numbers& own) {
            own.broken = set.broken;
            if (set.broken.empty()) own.reloaded_ms = unix_now_ms();
        });
    }

    void save_if_due(bool at_the_end) {
        const bool due = fleet_.wants_save() && steady_now_ms() - saved_ms_ >= check_interval_ms;
        if (!due && !at_the_end && !fleet_.wants_save_now()) return;
        save();
        fleet_.saved();
    }

    // Saves the states.  Keeps those of scalers without a manifest: the manifest may come back, or another gputided may have written
    // the state.  Logs a failed write; decisions continue.
    void save() {
        saved_ms_ = steady_now_ms();
        if (options_.state.empty()) return;
        std::string why;
        try {
            saved_scalers all = fleet_.all_states();
            all.insert(saved_.begin(), saved_.end());
            write_states(options_.state, all);
        } catch (const usage_error& failed) {
            why = std::string("--state is not saved: ") + failed.what();
            board_.change_own([](numbers& own) { ++own.state_save_failures; });
        }
        board_.problems().set_single("--state", code::state_not_saved, why);
    }

    void update_health() {
        alive_until_ms_ = std::min(steady_now_ms() + slack_ms, fleet_.deadline_ms());
        if (ready_) return;
        ready_ = board_.read([](const numbers& all) {
            return std::ranges::all_of(all.scalers, [](const auto& scaler) { return scaler.second.decisions > 0; });
        });
    }

    signals& signals_;
    const unique_descriptor lock_;  // of the state file
    saved_scalers saved_;           // from the state file, for scalers that have not been added yet
    folder_watch folders_;          // begins before the first reading, so that it notices
                                    // changes during this
    manifest_reader reader_;
    manifest_set first_;  // for the constructor
    fleet fleet_;
    std::map<std::string, std::pair<std::string, std::string>> broken_;  // by file: reason, text
    // In use; those with an error have their last valid text.
    std::vector<manifest_file> files_;
    std::int64_t looked_ms_ = 0;  // steady clock
    std::int64_t noticed_ms_ = 0;
    std::int64_t saved_ms_ = 0;
    std::atomic<bool> ready_{false};
};

}  // namespace

std::unique_ptr<paged_daemon> open_scaling_daemon(const run_options& options, signals& signals, run_output& output) {
    return std::make_unique<scaling_daemon>(options, signals, output);
}

}  // namespace gputided
