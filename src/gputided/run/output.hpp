// Output and signals of gputided run.
#pragma once

#include "common/log.hpp"
#include "gputide/gputide.hpp"
#include "run/audit.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

struct run_options;

// Data on stdout, one line of JSON each (a decision before its write, and the end of each write), and the log on stderr.  If they
// are not read, lines are dropped and counted, and scaling continues.
class run_output {
  public:
    explicit run_output(const run_options& options);
    ~run_output();
    run_output(const run_output&) = delete;
    run_output& operator=(const run_output&) = delete;

    void print(const std::string& line) { data_.add(line); }

    // Logs "object: text" within a second (any thread).  Equal texts of several objects become one line with their number.
    void gather(const std::string& object, const std::string& text, log_level level = log_level::info);
    // The same for a line of the library: "ml/llama: text" is of ml/llama.
    void gather_line(const std::string& line, log_level level);
    // Writes what waits: a second after the last call, or at once.
    void flush_gathered(bool at_once);

    audit_log& audit() { return audit_; }

    std::int64_t dropped_lines() const { return data_.dropped() + log_.dropped(); }

  private:
    struct gathered {
        std::string text;
        log_level level = log_level::info;  // of the first
        std::vector<std::string> objects;
    };

    line_writer data_;
    line_writer log_;
    audit_log audit_;
    std::mutex lock_;                            // guards what follows
    std::vector<gathered> gathered_;             // in the order of their first object
    std::map<std::string, std::size_t> places_;  // of texts in gathered_
    std::int64_t flushed_ms_ = 0;                // steady
};

// Returns {"time":"2026-11-21T10:00:00.250Z","namespace":"default","name":"a","write":{"replicas":5,"applied":true}}: a replay
// needs it to repeat the next decisions, as windows and rate limits count from the write.
std::string write_line(const std::string& full_name, std::int32_t replicas, bool applied, std::int64_t time_ms);

// Selects and formats the decisions that are printed: 50 scalers at 15 s would print 0.7 GB a day.
class decision_lines {
  public:
    // all: also decisions that repeat the last one.  compact: without reasons.  acts: a wanted size is written; otherwise it is
    // wanted again at every tick.
    decision_lines(bool all, bool compact, bool acts) : all_(all), compact_(compact), acts_(acts) {}

    // Returns nothing for a repetition.  A change is a write, another wanted size, another limit or another status of a condition.
    std::optional<std::string> line_of(const std::string& scaler, const gputide::event& event);

    void forget(const std::string& scaler) { last_.erase(scaler); }

  private:
    struct line {
        std::string content;
        std::int32_t wanted = 0;  // a size
        std::uint32_t half = 0;   // GPUTIDE_DECIDED_*: the half that wants it; 0: it is the present size
    };
    bool all_;
    bool compact_;
    bool acts_;
    std::map<std::string, line> last_;  // by scaler
};

// SIGTERM, SIGINT and SIGHUP as descriptors.
class signals {
  public:
    // Blocks the signals in this thread and in all threads started later; must be constructed before other threads.
    signals();
    ~signals();
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    bool stopping() const;
    int stop_fd() const { return stop_fd_; }      // readable permanently after a stop: the signal stays pending
    int reload_fd() const { return reload_fd_; }  // readable until take_reload()
    bool take_reload();                           // reports whether SIGHUP came since the last call

  private:
    int stop_fd_;
    int reload_fd_;
};

}  // namespace gputided
