// The user's commands: --observe prints the replicas of a scaler's target, --exec writes them.
#pragma once

#include "common/files.hpp"
#include "gputide/gputide.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace gputided {

struct command_result {
    bool ok = false;     // exit status 0 before the timeout
    std::string output;  // stdout, at most 64 KiB
    std::string reason;  // if not ok: "exit status 3", "killed after 30000 ms", ...
};

struct command {
    std::string line;                                     // for sh -c
    std::map<std::string, std::string> variables;         // in addition to this process's environment
    std::string input;                                    // for its stdin
    std::function<void(const command_result& ran)> then;  // called by commands::turn()
};

// Runs commands, a limited number at a time, each in its own process group, with a timeout and limited output.  Their stderr is
// that of this process.  Used by one thread, which never waits for a command.
class commands {
  public:
    commands(std::size_t max_running, std::int32_t timeout_ms) : max_running_(max_running), timeout_ms_(timeout_ms) {}
    ~commands() { end(); }
    commands(const commands&) = delete;
    commands& operator=(const commands&) = delete;

    void add(command next);

    void add_descriptors(std::vector<pollfd>& ends) const;  // ready when turn() has work
    int wait_ms(int max) const;                             // until turn() must be called even if none is ready
    void turn();                                            // takes output, ends late commands, starts waiting ones

    // Drops the waiting commands, and sends SIGTERM to the running ones; after 300 ms turn() or end() sends SIGKILL.
    void stop();
    void end();  // like stop(), and waits for the running ones

    // Functions for any thread.
    std::size_t running_count() const { return running_count_; }
    std::size_t waiting_count() const { return waiting_count_; }

  private:
    enum class ending { by_itself, timed_out, stopped };
    struct running {
        pid_t id = 0;                  // also of its process group; 0: it could not be started
        unique_descriptor output_end;  // of the pipe from its stdout; closed when the command has closed it
        std::int64_t until_ms = 0;     // steady clock: when it gets SIGKILL
        ending how = ending::by_itself;
        command_result result;
        std::function<void(const command_result& ran)> then;
    };
    static bool reads_output(const running& child);
    static bool is_ready_by_output(const running& child);
    running start(command next) const;
    bool has_ended(running& child) const;
    void conclude(running& child, int status) const;
    void start_waiting();

    const std::size_t max_running_;
    const std::int32_t timeout_ms_;
    std::list<running> running_;
    std::deque<command> waiting_;
    bool is_ending_ = false;
    std::atomic<std::size_t> running_count_{0}, waiting_count_{0};
};

struct target_size {
    std::int32_t spec = 0;
    std::int32_t status = -1;  // existing pods; -1: same as spec
    std::int32_t ready = -1;
};

struct target_name {
    std::string scaler;  // "namespace/name"
    std::string target;  // "Deployment/llama": kind and name; "": the manifest has no target
};

// Returns the variables of both commands.
std::map<std::string, std::string> variables_of(const target_name& name);

struct size_read {
    std::optional<target_size> size;  // empty: unreadable
    std::string why;                  // reason if size is empty
};

// Returns the size that --observe printed.
size_read observed_size(const command_result& ran);

}  // namespace gputided
