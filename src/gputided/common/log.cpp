#include "common/log.hpp"

#include "common/text.hpp"

#include <climits>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gputided {

namespace {

constexpr std::int64_t end_timeout_ms = 200;

std::atomic<line_writer*> through{nullptr};
std::atomic<log_level> max_level{log_level::info};

// log_level has the order of GPUTIDE_LOG_*.
log_level level_of(std::int32_t library_level) { return static_cast<log_level>(library_level - GPUTIDE_LOG_ERROR); }

// systemd names the device and inode of the journal's socket.
bool is_journal(int descriptor) {
    struct stat seen {};
    const char* const journal = std::getenv("JOURNAL_STREAM");
    return journal != nullptr && ::fstat(descriptor, &seen) == 0 &&
           std::to_string(seen.st_dev) + ":" + std::to_string(seen.st_ino) == journal;
}

// Returns what stands before a line.  The journal adds the time itself, and takes the level as sd-daemon(3) says; a terminal gets
// neither.
std::string start_of_line(log_level level) {
    static const bool goes_to_journal = is_journal(STDERR_FILENO), goes_to_terminal = ::isatty(STDERR_FILENO) != 0;
    static constexpr const char* priorities[] = {"<3>", "<4>", "<6>", "<7>"};
    const auto index = static_cast<std::size_t>(level);
    if (goes_to_journal) return priorities[index];
    return goes_to_terminal ? "" : time_text(unix_now_ms()) + " " + log_level_names[index] + " ";
}

}  // namespace

void log_through(line_writer* writer) { through = writer; }

void set_log_level(log_level max) {
    max_level = max;
    if (max == log_level::debug) static const library_log details;  // requests, credentials and decisions
}

bool is_logged(log_level level) { return level <= max_level; }

void log_line(const std::string& text, log_level level) {
    if (!is_logged(level)) return;
    const std::string line = "gputided: " + one_line(text);
    if (line_writer* writer = through; writer != nullptr) return writer->add(start_of_line(level) + line);
    std::cerr << line + "\n" << std::flush;
}

void show_progress(const std::string& text, bool is_last) {
    if (::isatty(STDERR_FILENO) == 0) return log_line(text);
    std::cerr << "\r" + text + (is_last ? "\n" : "") << std::flush;
}

library_log::library_log(taker take) : take_(std::move(take)) {
    gputide_log_sink sink{};
    sink.struct_size = sizeof sink;
    sink.level = max_level == log_level::debug ? GPUTIDE_LOG_DEBUG : GPUTIDE_LOG_INFO;
    sink.write = [](void* self, std::int32_t level, const char* line) {
        static_cast<library_log*>(self)->take_(line, level_of(level));
    };
    sink.user_data = this;
    gputide::set_log(&sink);
}

library_log::~library_log() { gputide_set_log(nullptr, nullptr); }

std::string failure_text(const gputide::failure& failure) {
    return std::string(gputide_status_name(failure.status())) + ": " + failure.what();
}

line_writer::line_writer(int descriptor) : descriptor_(descriptor), thread_([this] { serve(); }) {}

line_writer::~line_writer() {
    end_by_ms_ = steady_now_ms() + end_timeout_ms;
    {
        const std::lock_guard hold(lock_);
        ending_ = true;
        changed_.notify_one();
    }
    thread_.join();
}

void line_writer::add(const std::string& line) {
    const std::lock_guard hold(lock_);
    if (reader_is_gone_ || waiting_.size() + line.size() + 1 > max_waiting_bytes) {
        ++dropped_;
        return;
    }
    waiting_ += line;
    waiting_ += '\n';
    changed_.notify_one();
}

void line_writer::serve() {
    std::unique_lock hold(lock_);
    for (;;) {
        changed_.wait(hold, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        std::string piece;
        piece.swap(waiting_);
        hold.unlock();
        std::string_view rest = piece;
        bool goes_on = true;
        while (goes_on && !rest.empty() && is_writable()) goes_on = write_some(rest);
        hold.lock();
        if (!goes_on) {
            reader_is_gone_ = true;
            waiting_.clear();
        }
        if (ending_ && (!goes_on || !rest.empty())) return;
    }
}

// Writes at most PIPE_BUF bytes: a pipe that is ready accepts these without blocking.
bool line_writer::write_some(std::string_view& rest) const {
    const ssize_t size_bytes = ::write(descriptor_, rest.data(), std::min(rest.size(), std::size_t{PIPE_BUF}));
    if (size_bytes < 0) return errno == EINTR || errno == EAGAIN;
    rest.remove_prefix(static_cast<std::size_t>(size_bytes));
    return true;
}

bool line_writer::is_writable() const {
    constexpr int look_interval_ms = 50;  // between two looks at end_by_ms_
    pollfd end{descriptor_, POLLOUT, 0};
    for (;;) {
        const int ready = ::poll(&end, 1, look_interval_ms);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (end_by_ms_ != 0 && steady_now_ms() >= end_by_ms_) return false;
    }
}

}  // namespace gputided
