// The target of a scaler: how its size is read and written.  Here by the user's commands (--exec, --observe), which run on threads
// of their own; another way to reach a target is another pair of functions.
#pragma once

#include "gputide/gputide.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gputided {

struct run_options;

struct target_size {
    std::int32_t spec = 0;
    std::int32_t status = -1;  // pods that exist; -1: as spec
    std::int32_t ready = -1;
};

struct target_name {
    std::string scaler;  // "namespace/name"
    std::string target;  // "Deployment/llama": kind and name of the target; "": the manifest names none
};

struct size_read {
    std::optional<target_size> size;  // nothing: it cannot be read
    std::string why;                  // the reason for nothing
};

struct target_access {
    // Empty function: only the last written size is known.
    std::function<size_read(const target_name& name)> read;
    // report: the decision as JSON.  Returns the reason if it was not written, "" if it was.  Empty function: a dry run.
    std::function<std::string(const target_name& name, const gputide::decision& decision, const std::string& report)>
        write;
};

// Uses --observe and --exec.  stop_fd becomes readable when gputided is to end: a running command is ended, too.
target_access access_by_commands(const run_options& options, int stop_fd);

struct child_result {
    bool ok = false;     // exit status 0 within the time
    std::string output;  // its stdout, at most 64 KiB
    std::string reason;  // if not ok: "exit status 3", "killed after 30000 ms", ...
};

struct child_limits {
    std::int32_t timeout_ms = 30'000;
    int stop_fd = -1;  // readable: the child gets SIGTERM, and SIGKILL 300 ms later; -1: never
};

// Runs a command with sh -c, in a process group of its own, with limited time and output.  environment is added to that of this
// process, input is written to its stdin, its stderr is that of this process.
child_result run_child(const std::string& shell_line, const std::map<std::string, std::string>& environment,
                       const std::string& input, const child_limits& limits);

// Runs blocking work on a limited number of threads, and the second half of each job on the main thread.
class jobs {
  public:
    using step = std::function<void()>;
    // Runs on a thread of this class; returns the second half for the main thread.
    using work = std::function<step()>;

    explicit jobs(std::size_t threads);
    ~jobs();  // waits for running jobs; drops waiting ones
    jobs(const jobs&) = delete;
    jobs& operator=(const jobs&) = delete;

    // Main thread.
    void add(work job);
    int descriptor() const { return descriptor_; }  // readable while a job's second half waits
    void finish_done();
    void end();  // as the destructor, and runs the second halves of the jobs that were running

    // Any thread.
    std::size_t running() const;
    std::size_t waiting() const;

  private:
    void serve();

    const std::size_t max_threads_;
    const int descriptor_;
    mutable std::mutex lock_;
    std::condition_variable changed_;
    std::deque<work> waiting_;
    std::deque<step> done_;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;  // started when needed
};

}  // namespace gputided
