// Access to the replicas of a scaler's target: reads and writes them with the user's commands (--exec, --observe), which run on
// other threads.  Other ways can provide other functions.
#pragma once

#include "common/files.hpp"
#include "gputide/gputide.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gputided {

struct run_options;

struct target_size {
    std::int32_t spec = 0;
    std::int32_t status = -1;  // existing pods; -1: same as spec
    std::int32_t ready = -1;
};

struct target_name {
    std::string scaler;  // "namespace/name"
    std::string target;  // "Deployment/llama": kind and name; "": the manifest has no target
};

struct size_read {
    std::optional<target_size> size;  // empty: unreadable
    std::string why;                  // reason if size is empty
};

struct target_access {
    // Reads the replicas.  Empty function: only the last written count is known.
    std::function<size_read(const target_name& name)> read;
    // Writes the replicas and returns "" or the error.  report: the decision as JSON.  Empty function: a dry run.
    std::function<std::string(const target_name& name, const gputide::decision& decision, const std::string& report)>
        write;
};

// Returns functions that run --observe and --exec. stop_fd becomes readable when gputided ends; running commands are stopped
// then.
target_access access_by_commands(const run_options& options, int stop_fd);

// Runs blocking work on a limited number of threads, and the second step of each job on the main thread.
class jobs {
  public:
    using step = std::function<void()>;
    // Runs on a thread of this class and returns the second step.
    using work = std::function<step()>;

    explicit jobs(std::size_t threads);
    ~jobs() { end(); }  // waits for running jobs and drops waiting ones
    jobs(const jobs&) = delete;
    jobs& operator=(const jobs&) = delete;

    // Functions for the main thread.
    void add(work job);
    int wake_fd() const { return wake_.get(); }  // readable while a second step is waiting
    void finish_done();
    void end();  // like the destructor, but also runs the second steps of the running jobs

    // Functions for any thread.
    std::size_t running() const;
    std::size_t waiting() const;

  private:
    void serve();

    const std::size_t max_threads_;
    const unique_descriptor wake_;
    mutable std::mutex lock_;
    std::condition_variable changed_;
    std::deque<work> waiting_;
    std::deque<step> done_;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;  // started when needed
};

}  // namespace gputided
