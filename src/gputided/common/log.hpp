// Exit statuses, errors of usage, and the log: one line each on stderr.  Data goes to stdout.
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

namespace gputided {

// The exit status of the program.
enum exit_status { done = 0, finding = 1, bad_input = 2, source_failed = 3 };

// Bad usage: the text names the flag or file and the remedy.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class log_level { error, warning, info, debug };

// Writes one line, unless its level is beyond set_log_level(); line ends and control characters become blanks.
void log_line(const std::string& text, log_level level = log_level::info);

void set_log_level(log_level max);  // the default is info
bool is_logged(log_level level);

// The values of --log-level, in the order of log_level.
inline constexpr const char* log_level_names[] = {"error", "warning", "info", "debug"};

// Returns "E_AUTH: trigger 0 (prometheus): ...": the status, the place, the message with its remedy.
std::string failure_text(const gputide::failure& failure);

// Receives the library's own log lines while it exists, such as a stream that ended; by default it writes them to the log.
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

// Writes lines to a descriptor that may not be read, on a thread of its own: the caller of add() never waits.
class line_writer {
  public:
    explicit line_writer(int descriptor);  // borrowed
    ~line_writer();                        // writes waiting lines for up to 200 ms
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;

    // Any thread.  Drops and counts the line if 1 MiB waits already, or if the reader is gone.
    void add(const std::string& line);
    std::int64_t dropped() const { return dropped_; }

  private:
    void serve();
    bool write_some(std::string_view& rest) const;  // false: the reader is gone
    bool is_writable() const;                       // waits until it is, or until the end

    static constexpr std::size_t max_waiting_bytes = std::size_t{1} << 20;

    const int descriptor_;
    const int ending_descriptor_;  // becomes readable when the end begins, and stays so
    std::mutex lock_;
    std::condition_variable changed_;
    std::string waiting_;
    bool ending_ = false;
    bool reader_is_gone_ = false;
    std::atomic<std::int64_t> dropped_{0};
    std::atomic<std::int64_t> end_by_ms_{0};  // steady; 0: not ending
    std::thread thread_;
};

// Sends later log lines through this writer, which must exist until null is given.
void log_through(line_writer* writer);

}  // namespace gputided
