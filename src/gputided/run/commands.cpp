#include "run/commands.hpp"

#include "common/json.hpp"
#include "common/text.hpp"
#include "run/run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX declares it nowhere

namespace gputided {

jobs::jobs(std::size_t threads) : max_threads_(threads), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_.is_open()) throw std::runtime_error("cannot make an eventfd");
}

void jobs::add(work job) {
    const std::lock_guard hold(lock_);
    if (ending_) return;
    waiting_.push_back(std::move(job));
    if (running_ + waiting_.size() > threads_.size() && threads_.size() < max_threads_) {
        threads_.emplace_back([this] { serve(); });
    }
    changed_.notify_one();
}

void jobs::serve() {
    std::unique_lock hold(lock_);
    for (;;) {
        changed_.wait(hold, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const work next = std::move(waiting_.front());
        waiting_.pop_front();
        ++running_;
        hold.unlock();
        step then = next();
        hold.lock();
        --running_;
        done_.push_back(std::move(then));
        ::eventfd_write(wake_fd(), 1);
    }
}

void jobs::finish_done() {
    eventfd_t count = 0;
    ::eventfd_read(wake_fd(), &count);
    std::deque<step> done;
    {
        const std::lock_guard hold(lock_);
        done.swap(done_);
    }
    for (const step& then : done) then();
}

void jobs::end() {
    {
        const std::lock_guard hold(lock_);
        ending_ = true;
        waiting_.clear();
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    finish_done();
}

std::size_t jobs::running() const {
    const std::lock_guard hold(lock_);
    return running_;
}

std::size_t jobs::waiting() const {
    const std::lock_guard hold(lock_);
    return waiting_.size();
}

namespace {

struct child_result {
    bool ok = false;     // exit status 0 before the timeout
    std::string output;  // stdout, at most 64 KiB
    std::string reason;  // if not ok: "exit status 3", "killed after 30000 ms", ...
};

struct child_limits {
    std::int32_t timeout_ms = 30'000;
    int stop_fd = -1;  // when readable, the child gets SIGTERM, and SIGKILL 300 ms later; -1: never
};

using steady = std::chrono::steady_clock;
constexpr std::size_t max_output_bytes = std::size_t{64} * 1024;
constexpr int stop_grace_ms = 300;

struct pipe_ends {
    unique_descriptor read_end, write_end;
    pipe_ends() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
        read_end = unique_descriptor(ends[0]);
        write_end = unique_descriptor(ends[1]);
    }
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry = *variable;
        if (added.count(std::string(entry.substr(0, entry.find('=')))) == 0) out.emplace_back(entry);
    }
    for (const auto& [name, value] : added) out.emplace_back(name).append("=").append(value);
    return out;
}

int spawn(const std::string& shell_line, const std::map<std::string, std::string>& environment, const pipe_ends& input,
          const pipe_ends& output, pid_t& child) {
    std::vector<std::string> texts = merged_environment(environment);
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    std::string shell = "sh";
    std::string flag = "-c";
    std::string line = shell_line;
    std::array<char*, 4> arguments{shell.data(), flag.data(), line.data(), nullptr};

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&files, input.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output.write_end.get(), STDOUT_FILENO);
    // This process blocks the signals that it waits for and ignores SIGPIPE.  The child must not inherit this.
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes, &signals);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failed = ::posix_spawn(&child, "/bin/sh", &files, &attributes, arguments.data(), pointers.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    return failed;
}

int left_ms(steady::time_point until) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady::now()).count();
    return left > 0 ? static_cast<int>(left) : 0;
}

enum class ending { by_itself, time_over, stopped };

// Writes the child's stdin and reads its stdout until both are closed.
class child_pipes {
  public:
    child_pipes(pipe_ends& in_pipe, pipe_ends& out_pipe, const std::string& input, const child_limits& limits)
        : in_(in_pipe), out_(out_pipe), input_(input), stop_fd_(limits.stop_fd), until_(after_ms(limits.timeout_ms)) {
        ::fcntl(in_.write_end.get(), F_SETFL, O_NONBLOCK);
        if (input_.empty()) in_.write_end.close();
    }

    ending run(pid_t child, int& status, std::string& output) {
        while (out_.read_end.is_open()) {
            std::array<pollfd, 3> ends{pollfd{out_.read_end.get(), POLLIN, 0}, pollfd{in_.write_end.get(), POLLOUT, 0},
                                       pollfd{stop_fd_, POLLIN, 0}};  // poll() ignores negative descriptors
            const int ready = ::poll(ends.data(), ends.size(), left_ms(until_));
            if (ready == 0) return ending::time_over;
            if (ready < 0) continue;  // EINTR
            if (ends[2].revents != 0) return ending::stopped;
            if (ends[1].revents != 0) feed();
            if (ends[0].revents != 0) drain(output);
        }
        return wait_for_end(child, status);
    }

  private:
    static steady::time_point after_ms(std::int32_t ms) { return steady::now() + std::chrono::milliseconds(ms); }

    void feed() {
        const ssize_t sent = ::write(in_.write_end.get(), input_.data() + written_, input_.size() - written_);
        if (sent > 0) written_ += static_cast<std::size_t>(sent);
        if (written_ == input_.size() || (sent < 0 && errno != EAGAIN && errno != EINTR)) in_.write_end.close();
    }

    void drain(std::string& output) {
        std::array<char, 4096> piece{};
        const ssize_t size = ::read(out_.read_end.get(), piece.data(), piece.size());
        if (size == 0 || (size < 0 && errno != EINTR)) return out_.read_end.close();
        const std::size_t left = max_output_bytes - output.size();
        if (size > 0) output.append(piece.data(), std::min(left, static_cast<std::size_t>(size)));
    }

    // Waits for the end of the child, which may run after closing its stdout.
    ending wait_for_end(pid_t child, int& status) const {
        while (::waitpid(child, &status, WNOHANG) == 0) {
            pollfd stop{stop_fd_, POLLIN, 0};
            if (::poll(&stop, 1, 2) > 0) return ending::stopped;
            if (left_ms(until_) == 0) return ending::time_over;
        }
        return ending::by_itself;
    }

    pipe_ends& in_;
    pipe_ends& out_;
    const std::string& input_;
    int stop_fd_;
    steady::time_point until_;
    std::size_t written_ = 0;
};

// Ends the whole process group, because children of the shell must not outlive it.
void kill_group(pid_t child, int& status, int grace_ms) {
    ::kill(-child, grace_ms > 0 ? SIGTERM : SIGKILL);
    const steady::time_point until = steady::now() + std::chrono::milliseconds(grace_ms);
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (left_ms(until) == 0) ::kill(-child, SIGKILL);
        ::usleep(2'000);
    }
    ::kill(-child, SIGKILL);
}

std::string describe(int status) {
    if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
    return "ended by signal " + std::to_string(WTERMSIG(status));
}

// Runs a command with sh -c in its own process group, with a timeout and limited output.  `environment` is added to this
// process's environment, `input` is written to stdin, and stderr is shared with this process.
child_result run_child(const std::string& shell_line, const std::map<std::string, std::string>& environment,
                       const std::string& input, const child_limits& limits) {
    child_result result;
    pipe_ends in_pipe;
    pipe_ends out_pipe;
    pid_t child = 0;
    if (!in_pipe.read_end.is_open() || !out_pipe.read_end.is_open())
        return result.reason = std::strerror(errno), result;
    const int failed = spawn(shell_line, environment, in_pipe, out_pipe, child);
    if (failed != 0) return result.reason = std::string("cannot start sh: ") + std::strerror(failed), result;
    in_pipe.read_end.close();
    out_pipe.write_end.close();
    int status = 0;
    const ending how_ended = child_pipes(in_pipe, out_pipe, input, limits).run(child, status, result.output);
    if (how_ended != ending::by_itself) kill_group(child, status, how_ended == ending::stopped ? stop_grace_ms : 0);
    result.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (how_ended == ending::time_over) {
        result.reason = "killed after " + std::to_string(limits.timeout_ms) + " ms; --child-timeout-ms sets this time";
    } else if (!result.ok) {
        result.reason = describe(status) + (how_ended == ending::stopped ? ", because gputided was stopped" : "");
    }
    return result;
}

using variables = std::map<std::string, std::string>;

variables variables_of(const target_name& name) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"GPUTIDE_NAMESPACE", scaler.space}, {"GPUTIDE_NAME", scaler.name}, {"GPUTIDE_TARGET", name.target}};
}

// Returns -1 if the member is missing, nothing if it is not a replica count.
std::optional<std::int32_t> optional_count(const json& object, const char* member) {
    return object.contains(member) ? replica_count(object.at(member)) : std::int32_t{-1};
}

// Reads "4" or {"spec":4,"status":4,"ready":3}.
std::optional<target_size> size_of(const std::string& output) {
    const json printed = json::parse(output, nullptr, false);
    if (const auto count = replica_count(printed)) return target_size{*count};
    if (!printed.is_object() || !printed.contains("spec")) return std::nullopt;
    const auto spec = replica_count(printed.at("spec"));
    const auto status = optional_count(printed, "status");
    const auto ready = optional_count(printed, "ready");
    if (!spec || !status || !ready) return std::nullopt;
    return target_size{*spec, *status, *ready};
}

size_read observe(const std::string& command, const target_name& name, const child_limits& limits) {
    const child_result ran = run_child(command, variables_of(name), "", limits);
    if (!ran.ok) return {std::nullopt, "--observe failed: " + ran.reason};
    const std::optional<target_size> size = size_of(ran.output);
    if (size) return {size, ""};
    // The message does not contain the output, which may be confidential.
    return {std::nullopt,
            "--observe: expected a replica count or {\"spec\":N,\"status\":N,\"ready\":N} on its standard output "
            "(status and ready are optional), got " +
                counted(static_cast<std::int64_t>(ran.output.size()), "byte") + " in another format"};
}

std::string execute(const std::string& command, const target_name& name, const gputide::decision& decision,
                    const std::string& report, const child_limits& limits) {
    variables environment = variables_of(name);
    environment["GPUTIDE_CURRENT"] = std::to_string(decision.current());
    environment["GPUTIDE_DESIRED"] = std::to_string(decision.desired());
    const child_result ran = run_child(command, environment, report + "\n", limits);
    if (ran.ok) return "";
    return "--exec failed for " + environment["GPUTIDE_CURRENT"] + " -> " + environment["GPUTIDE_DESIRED"] + ": " +
           ran.reason;
}

}  // namespace

target_access access_by_commands(const run_options& options, int stop_fd) {
    const child_limits limits{options.child_timeout_ms, stop_fd};
    target_access out;
    if (!options.observe.empty()) {
        out.read = [command = options.observe, limits](const target_name& name) {
            return observe(command, name, limits);
        };
    }
    if (!options.dry_run) {
        out.write = [command = options.exec, limits](const target_name& name, const gputide::decision& decision,
                                                     const std::string& report) {
            return execute(command, name, decision, report, limits);
        };
    }
    return out;
}

}  // namespace gputided
