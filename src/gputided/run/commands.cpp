#include "run/commands.hpp"

#include "common/json.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX does not declare it

namespace gputided {

namespace {

constexpr std::size_t max_output_bytes = std::size_t{64} * 1024;
constexpr int stop_grace_ms = 300;
constexpr int max_reads = 64;   // of 16 KiB per turn
constexpr int interval_ms = 5;  // between two looks at a process that is about to end, or that prints more than is kept

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry = *variable;
        if (added.count(std::string(entry.substr(0, entry.find('=')))) == 0) out.emplace_back(entry);
    }
    for (const auto& [name, value] : added) out.emplace_back(name).append("=").append(value);
    return out;
}

// Returns an empty file in memory.  Linux may refuse one that could be executed; before 6.3 it does not know that flag.
unique_descriptor memory_file() {
    constexpr unsigned no_exec_seal = 8;  // MFD_NOEXEC_SEAL
    int out = ::memfd_create("stdin", MFD_CLOEXEC | no_exec_seal);
    if (out < 0 && errno == EINVAL) out = ::memfd_create("stdin", MFD_CLOEXEC);
    return unique_descriptor(out);
}

// Returns a file with this text for a command's stdin.  In a file, unlike in a pipe, a text of any size needs no reader.
// Without memory it returns a closed descriptor and sets errno.
unique_descriptor input_file(const std::string& text) {
    if (text.empty()) return unique_descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    unique_descriptor out = memory_file();
    if (!out.is_open()) return out;
    const ssize_t written_bytes = ::pwrite(out.get(), text.data(), text.size(), 0);
    if (written_bytes == static_cast<ssize_t>(text.size())) return out;
    const int why = written_bytes < 0 ? errno : ENOSPC;
    out.close();
    errno = why;
    return out;
}

int spawn(const command& next, int input, int output, pid_t& child) {
    std::vector<std::string> texts = merged_environment(next.variables);
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    std::string shell = "sh";
    std::string flag = "-c";
    std::string line = next.line;
    std::array<char*, 4> arguments{shell.data(), flag.data(), line.data(), nullptr};

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
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

// Reads what is there, up to a limit per call, and closes the pipe at its end.  Drops what is above the limit of an output.
void drain(unique_descriptor& end, std::string& output) {
    std::array<char, 16'384> piece{};
    for (int reads = 0; reads < max_reads; ++reads) {
        const ssize_t size = ::read(end.get(), piece.data(), piece.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0) return end.close();
        const std::size_t left = max_output_bytes - output.size();
        output.append(piece.data(), std::min(left, static_cast<std::size_t>(size)));
    }
}

std::string describe(int status) {
    if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
    return "ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

commands::running commands::start(command next) const {
    running out;
    out.then = std::move(next.then);
    const unique_descriptor input = input_file(next.input);
    std::array<int, 2> ends{-1, -1};
    if (!input.is_open() || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        out.result.reason = std::strerror(errno);
        return out;
    }
    out.output_end = unique_descriptor(ends[0]);
    const unique_descriptor write_end(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const int failed = spawn(next, input.get(), write_end.get(), out.id);
    if (failed != 0) {
        out.id = 0;
        out.result.reason = std::string("cannot start sh: ") + std::strerror(failed);
    }
    out.until_ms = steady_now_ms() + timeout_ms_;
    return out;
}

// Reports whether the command still has time and an open stdout.
bool commands::reads_output(const running& child) {
    return child.id != 0 && child.how == ending::by_itself && child.output_end.is_open();
}

// Reports whether the command has closed its stdout and has ended, which may be later.  Ends it if its time is over; a command
// that ended in time stays a success if this is called late.
bool commands::has_ended(running& child) const {
    if (child.id == 0) return true;
    if (child.output_end.is_open()) drain(child.output_end, child.result.output);
    int status = 0;
    if (!reads_output(child) && ::waitpid(child.id, &status, WNOHANG) != 0) {
        conclude(child, status);
        return true;
    }
    if (steady_now_ms() >= child.until_ms) {
        if (child.how == ending::by_itself) child.how = ending::timed_out;
        ::kill(-child.id, SIGKILL);
    }
    return false;
}

void commands::conclude(running& child, int status) const {
    // Children of the shell must not outlive it.
    if (child.how != ending::by_itself) ::kill(-child.id, SIGKILL);
    command_result& result = child.result;
    result.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (child.how == ending::timed_out) {
        result.reason = "killed after " + std::to_string(timeout_ms_) + " ms; --child-timeout-ms sets this time";
    } else if (!result.ok) {
        result.reason = describe(status) + (child.how == ending::stopped ? ", because gputided was stopped" : "");
    }
}

void commands::add(command next) {
    if (is_ending_) return;
    waiting_.push_back(std::move(next));
    start_waiting();
}

void commands::start_waiting() {
    for (; running_.size() < max_running_ && !waiting_.empty(); waiting_.pop_front())
        running_.push_back(start(std::move(waiting_.front())));
    running_count_ = running_.size();
    waiting_count_ = waiting_.size();
}

// Reports whether the next event of the command is on its stdout.  Output that is only dropped is read at intervals: a command
// that prints without end must not keep the loop busy.
bool commands::is_ready_by_output(const running& child) {
    return reads_output(child) && child.result.output.size() < max_output_bytes;
}

void commands::add_descriptors(std::vector<pollfd>& ends) const {
    for (const running& child : running_) {
        if (is_ready_by_output(child)) ends.push_back({child.output_end.get(), POLLIN, 0});
    }
}

int commands::wait_ms(int max) const {
    std::int64_t out = max;
    const std::int64_t now_ms = steady_now_ms();
    for (const running& child : running_) {
        const std::int64_t left_ms = std::max<std::int64_t>(0, child.until_ms - now_ms);
        out = std::min(out, is_ready_by_output(child) ? left_ms : interval_ms);
    }
    return static_cast<int>(out);
}

void commands::turn() {
    std::list<running> ended;
    for (auto at = running_.begin(); at != running_.end();) {
        const auto next = std::next(at);
        if (has_ended(*at)) ended.splice(ended.end(), running_, at);
        at = next;
    }
    start_waiting();
    for (const running& entry : ended) entry.then(entry.result);  // may add a command
}

void commands::stop() {
    is_ending_ = true;
    waiting_.clear();
    for (running& child : running_) {
        if (child.id == 0 || child.how != ending::by_itself) continue;
        child.how = ending::stopped;
        child.until_ms = steady_now_ms() + stop_grace_ms;
        ::kill(-child.id, SIGTERM);
    }
}

void commands::end() {
    stop();
    for (turn(); !running_.empty(); turn()) ::usleep(interval_ms * 1'000);
}

namespace {

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

}  // namespace

std::map<std::string, std::string> variables_of(const target_name& name) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"GPUTIDE_NAMESPACE", scaler.space}, {"GPUTIDE_NAME", scaler.name}, {"GPUTIDE_TARGET", name.target}};
}

size_read observed_size(const command_result& ran) {
    if (!ran.ok) return {std::nullopt, "--observe failed: " + ran.reason};
    const std::optional<target_size> size = size_of(ran.output);
    if (size) return {size, ""};
    // The message does not contain the output, which may be confidential.
    return {std::nullopt,
            "--observe: expected a replica count or {\"spec\":N,\"status\":N,\"ready\":N} on its standard output "
            "(status and ready are optional), got " +
                counted(ran.output.size(), "byte") + " in another format"};
}

}  // namespace gputided
