// Exit statuses, usage errors, and the log, which has one line per entry on stderr.  Data goes to stdout.
#pragma once

#include "gputide/gputide.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace gputided {

// The exit status of the program.
enum exit_status { done = 0, finding = 1, bad_input = 2, source_failed = 3 };

// A usage error.  The text names the flag or file and the remedy.  of_file, at_line: the place in a file, for --output json.
struct usage_error : std::runtime_error {
    explicit usage_error(const std::string& text, std::string of_file = {}, std::int64_t at_line = 0)
        : std::runtime_error(text), file(std::move(of_file)), line(at_line) {}

    std::string file;
    std::int64_t line = 0;  // from 1; 0: unknown
};

enum class log_level { error, warning, info, debug };

// Writes one line if its level is at most that of set_log_level().  Line ends and control characters become blanks.
void log_line(const std::string& text, log_level level = log_level::info);

void set_log_level(log_level max);  // the default is info
bool is_logged(log_level level);

// The values of --log-level, in the order of log_level.
inline constexpr const char* log_level_names[] = {"error", "warning", "info", "debug"};

// Returns "E_AUTH: trigger 0 (prometheus): ...": status, place, message and remedy.
std::string failure_text(const gputide::failure& failure);

// Receives the library's log lines while it exists.  By default it writes them to the log.
class library_log {
  public:
    using taker = std::function<void(const char* line, log_level level)>;
    explicit library_log(taker take = [](const char* line, log_level level) { log_line(line, level); });
    ~library_log();
    library_log(const library_log&) = delete;
    library_log& operator=(const library_log&) = delete;

  private:
    taker take_;
};

// Writes lines to a descriptor on its own thread, so that add() never waits for a slow reader.
class line_writer {
  public:
    explicit line_writer(int descriptor);  // does not close the descriptor
    ~line_writer();                        // writes waiting lines for up to 200 ms
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;

    // May be called on any thread.  Drops and counts the line if 1 MiB is waiting or the reader has closed the pipe.
    void add(const std::string& line);
    std::int64_t dropped() const { return dropped_; }

  private:
    void serve();
    bool write_some(std::string_view& rest) const;  // false: the reader has closed the pipe
    bool is_writable() const;                       // waits until it is writable or the time is over

    static constexpr std::size_t max_waiting_bytes = std::size_t{1} << 20;

    const int descriptor_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::string waiting_;
    bool ending_ = false;
    bool reader_is_gone_ = false;
    std::atomic<std::int64_t> dropped_{0};
    std::atomic<std::int64_t> end_by_ms_{0};  // steady clock; 0: not ending
    std::thread thread_;
};

// Shows the progress of long work: on a terminal in one line, otherwise in the log.  is_last: ends the line.
void show_progress(const std::string& text, bool is_last);

// Sends later log lines through this writer, which must exist until log_through(nullptr).
void log_through(line_writer* writer);

}  // namespace gputided
