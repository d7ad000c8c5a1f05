// Output and signals of gputided run.
#pragma once

#include "common/files.hpp"
#include "common/json.hpp"
#include "common/log.hpp"
#include "gputide/gputide.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

struct run_options;

// The audit log of --audit-log: a line of JSON for each write of a replica count and each change of the configuration.  Lines are
// only appended.  A full file is renamed to FILE.1, FILE.1 to FILE.2 and so on.
class audit_log {
  public:
    static constexpr int kept_files = 5;  // FILE.1 to FILE.5

    // path "": no log.  A file of max_bytes or more is renamed before the next line.
    audit_log(std::string path, std::size_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}

    ~audit_log() { flush(); }
    audit_log(const audit_log&) = delete;
    audit_log& operator=(const audit_log&) = delete;

    // Adds {"time":"...","kind":kind,...} to the lines of the next flush().  May be called on any thread.
    void add(const char* kind, const ordered_json& members);

    // Appends the waiting lines and flushes them to disk once.  After a failure, which failure() returns, the lines are lost.
    // May be called on any thread.
    void flush();

    // Returns why the last lines were not written or the file was not renamed; "" without failure.
    std::string failure() const;

  private:
    std::string rotate() const;

    const std::string path_;
    const std::size_t max_bytes_;
    mutable std::mutex lock_;
    std::string waiting_;  // lines
    std::string failure_;
};

// Prints data on stdout as lines of JSON (each decision before its write, and the end of each write), and the log on stderr.  If
// they are not read, lines are dropped and counted, and scaling continues.
class run_output {
  public:
    explicit run_output(const run_options& options);
    ~run_output();
    run_output(const run_output&) = delete;
    run_output& operator=(const run_output&) = delete;

    void print(const std::string& line) { data_.add(line); }

    // Logs "object: text" within a second.  Equal texts of several objects become one line.  May be called on any thread.
    void gather(const std::string& object, const std::string& text, log_level level = log_level::info);
    // Logs a line of the library in the same way: "ml/llama: text" belongs to ml/llama.
    void gather_line(const std::string& line, log_level level);
    // Writes the gathered lines if the last time was a second ago, or at_once.
    void flush_gathered(bool at_once);

    audit_log& audit() { return audit_; }
    // Notes the end by a signal in the log and in the audit log, with more members.
    void stopped(ordered_json members);

    std::int64_t dropped_lines() const { return data_.dropped() + log_.dropped(); }

  private:
    struct gathered {
        std::string text;
        log_level level = log_level::info;  // of the first line
        std::vector<std::string> objects;
    };

    line_writer data_;
    line_writer log_;
    audit_log audit_;
    std::mutex lock_;                            // guards the members below
    std::vector<gathered> gathered_;             // in the order of their first object
    std::map<std::string, std::size_t> places_;  // index of each text in gathered_
    std::int64_t flushed_ms_ = 0;                // steady clock
};

// Reports whether interval_ms have passed since last_ms (steady clock), and sets last_ms to the current time if so.
bool take_due(std::int64_t& last_ms, std::int64_t interval_ms);

// Returns {"time":"2026-11-21T10:00:00.250Z","namespace":"default","name":"a","write":{"replicas":5,"applied":true}}.  A replay
// needs this line to repeat the next decisions, because windows and rate limits count from the write.
std::string applied_line(const std::string& full_name, std::int32_t replicas, bool applied, std::int64_t time_ms);

// Selects and formats the decisions to print, because all decisions of 50 scalers every 15 s would be 0.7 GB a day.
class decision_lines {
  public:
    // all: also decisions that repeat the last one.  compact: without reasons.  acts: a wanted size is written; otherwise it is
    // wanted again at every tick.
    decision_lines(bool all, bool compact, bool acts) : all_(all), compact_(compact), acts_(acts) {}

    // Returns the line, or nothing for a repetition.  A change is a write, another wanted size, another limit, or another
    // condition status.
    std::optional<std::string> line_of(const std::string& scaler, const gputide::event& event);

    void forget(const std::string& scaler) { last_.erase(scaler); }

  private:
    struct line {
        std::string content;
        std::int32_t wanted = 0;  // replicas
        std::uint32_t half = 0;   // GPUTIDE_DECIDED_*: the half that wants this size; 0: the size is the current one
    };
    bool all_;
    bool compact_;
    bool acts_;
    std::map<std::string, line> last_;  // by scaler
};

// SIGTERM, SIGINT and SIGHUP as file descriptors.
class signals {
  public:
    // Blocks the signals in this thread and in threads started later.  Must be constructed before other threads.
    signals();

    bool stopping() const;
    int stop_fd() const { return stop_.get(); }      // stays readable after a stop, because the signal stays pending
    int reload_fd() const { return reload_.get(); }  // readable until take_reload()
    bool take_reload();                              // reports whether SIGHUP was received since the last call

  private:
    unique_descriptor stop_, reload_;
};

}  // namespace gputided
