// Implements program.hpp: waits for a program.
#include "auth/machine/program.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gputide::auth {

namespace {

constexpr std::int64_t between_looks_ms = 20;
constexpr std::size_t max_shown_bytes = 400;

// Polls a running program.
class running final : public http::operation<result<secret_text>> {
  public:
    running(http::loop& loop, const program_call& call, std::int64_t limit_ms, program_done done)
        : operation(loop, loop.steady_ms() + limit_ms, std::move(done)),
          program_(call.arguments.front()),
          signed_out_mark_(call.signed_out_mark),
          limit_ms_(limit_ms) {}

    void start(const surroundings& host, const program_call& call) {
        auto started = host.start_program(call.arguments, call.variables);
        if (!started) return finish_soon(started.take_failure());
        child_ = *std::move(started);
        look_after(0);
    }

    void cancel() override {
        operation::cancel();
        child_.reset();  // kills it if it is still running
    }

  private:
    void look_after(std::int64_t delay_ms) {
        after(delay_ms, [this] { look(); });
    }

    void look() {
        auto outcome = outcome_of(*child_);
        if (!outcome) return look_after(between_looks_ms);
        child_.reset();
        finish(*std::move(outcome));
    }

    std::optional<result<secret_text>> outcome_of(child_program& child) const {
        auto ended = child.poll();
        if (ended && ended->ok) return result<secret_text>(std::move(ended->output));
        if (ended) {
            std::string text = format_text("{} ended with {}", program_, ended->how);
            const std::string words = redact(cut_utf8(trim(ended->complaint), max_shown_bytes));
            if (!words.empty()) text += ": " + words;
            const bool signed_out = !signed_out_mark_.empty() && words.find(signed_out_mark_) != std::string::npos;
            const error_class which = ended->missing ? error_class::unavailable
                                      : signed_out   ? error_class::signed_out
                                                     : error_class::permanent;
            return result<secret_text>(fail(which, std::move(text)));
        }
        if (loop().steady_ms() < deadline_ms()) return std::nullopt;
        return result<secret_text>(fail(error_class::transient, "{} was killed: it timed out after {}", program_,
                                        format_duration_ms(limit_ms_)));
    }

    const std::string program_;
    const std::string signed_out_mark_;
    const std::int64_t limit_ms_;
    std::unique_ptr<child_program> child_;
};

}  // namespace

result<void> check_program(const std::string& program, const std::vector<std::string>& allowed,
                           std::string_view option) {
    if (std::ranges::find(allowed, program) != allowed.end()) return {};
    return fail(
        error_class::config,
        "the program {} is not run: the host program does not allow it. To allow it, list it in the host program ({})",
        in_quotes(program), option);
}

std::shared_ptr<http::exchange> run_program(http::loop& loop, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done) {
    const std::int64_t left_ms = deadline_ms - loop.steady_ms();
    const std::int64_t limit_ms = std::max<std::int64_t>(0, std::min(call.limit_ms, left_ms));
    auto out = std::make_shared<running>(loop, call, limit_ms, std::move(done));
    out->start(*host, call);
    return out;
}

void run_for_token(const std::shared_ptr<acquisition>& under_way, const std::shared_ptr<const surroundings>& host,
                   const program_call& call,
                   callback<result<token>(result<secret_text> printed, const moment& now)> read) {
    under_way->carry(run_program(under_way->loop(), host, call, under_way->deadline_ms(),
                                 [under_way, read = std::move(read)](result<secret_text>&& printed) {
                                     under_way->finish(read(std::move(printed), now_of(under_way->loop())));
                                 }));
}

// Pipes, spawn and wait.

namespace {

constexpr std::size_t max_complaint_bytes = 4'096;
constexpr std::size_t max_bytes_a_look = 131'072;  // two full pipes per poll: an endless writer does not block the loop

// The read end of a pipe, and the data read so far.  Never blocks.
class stream {
  public:
    explicit stream(std::size_t max_bytes) : max_bytes_(max_bytes) { bytes_.reserve(max_bytes_); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() {
        close_it(in_);
        close_it(out_);
        wipe(bytes_);
    }

    bool open() {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
        in_ = ends[0];
        out_ = ends[1];
        return ::fcntl(in_, F_SETFL, O_NONBLOCK) == 0;
    }
    int writing_end() const { return out_; }
    void started() { close_it(out_); }

    // Reads what is available.  Output above the limit is dropped, so that the child can end.
    void drain() {
        std::array<char, 4'096> piece{};
        for (std::size_t looks = max_bytes_a_look / piece.size(); looks > 0; --looks) {
            const ssize_t got = ::read(in_, piece.data(), piece.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            const std::string_view read(piece.data(), static_cast<std::size_t>(got));
            too_much_ = too_much_ || read.size() > max_bytes_ - bytes_.size();
            bytes_.append(read.substr(0, max_bytes_ - bytes_.size()));
        }
        wipe(piece.data(), piece.size());
    }
    bool too_much() const { return too_much_; }
    std::string take() { return std::move(bytes_); }

  private:
    static void close_it(int& value) {
        if (value >= 0) ::close(value);
        value = -1;
    }

    const std::size_t max_bytes_;
    std::string bytes_;
    int in_ = -1;
    int out_ = -1;
    bool too_much_ = false;
};

class spawned final : public child_program {
  public:
    spawned() = default;
    ~spawned() override {
        if (pid_ <= 0) return;
        ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    int start(const std::vector<std::string>& arguments, const std::vector<secret_text>& variables);

    std::optional<program_outcome> poll() override {
        siginfo_t seen = {};
        // Does not reap the child yet, so that its process group's ID cannot be reused.
        const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT);
        output_.drain();
        complaint_.drain();
        if (looked == 0 && seen.si_pid == 0) {
            if (output_.too_much()) ::kill(-pid_, SIGKILL);  // the next poll reports the exit
            return std::nullopt;
        }
        if (looked == 0) ::kill(-pid_, SIGKILL);  // kills its remaining children
        int how = 0;
        const pid_t ended = ::waitpid(pid_, &how, 0);
        pid_ = 0;
        program_outcome out;
        out.output = secret_text(output_.take());
        out.complaint = complaint_.take();
        if (ended < 0) {
            out.how = "an unknown exit status: another part of the process has reaped it, or SIGCHLD is ignored";
        } else if (WIFSIGNALED(how)) {
            out.how = format_text("signal {}", WTERMSIG(how));
        } else {
            out.how = format_text("exit status {}", WEXITSTATUS(how));
        }
        // POSIX allows exit status 127 as the result of a failed posix_spawn(), and shells use it for a missing command.
        out.missing = ended >= 0 && WIFEXITED(how) && WEXITSTATUS(how) == 127;
        out.ok = ended < 0 ? !out.output.empty() : WIFEXITED(how) && WEXITSTATUS(how) == 0;
        if (output_.too_much()) {
            out.ok = false;
            out.how = "more output than a token may have (64 KiB)";
        }
        return out;
    }

  private:
    pid_t pid_ = 0;  // also the id of its process group
    stream output_{limits::token_file_bytes};
    stream complaint_{max_complaint_bytes};
};

// posix_spawn's settings, freed with the object.
struct spawn_plan {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};

    spawn_plan() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    spawn_plan(const spawn_plan&) = delete;
    spawn_plan& operator=(const spawn_plan&) = delete;
    ~spawn_plan() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

// Returns the current environment with `variables` replacing those of the same name.  The pointers refer to the environment and
// to `variables`.
std::vector<char*> environment_with(const std::vector<secret_text>& variables) {
    const auto name_of = [](std::string_view text) { return text.substr(0, text.find('=')); };
    std::vector<char*> out;
    for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
        const bool is_replaced = std::ranges::any_of(
            variables, [&](const secret_text& own) { return name_of(own.reveal()) == name_of(*entry); });
        if (!is_replaced) out.push_back(*entry);
    }
    for (const secret_text& variable : variables) {
        out.push_back(const_cast<char*>(variable.reveal().data()));  // NOLINT: null-terminated, not modified
    }
    out.push_back(nullptr);
    return out;
}

int spawned::start(const std::vector<std::string>& arguments, const std::vector<secret_text>& variables) {
    if (!output_.open() || !complaint_.open()) return errno;
    spawn_plan plan;
    posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, output_.writing_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&plan.files, complaint_.writing_end(), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&plan.files, STDERR_FILENO + 1);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&plan.attributes, &all);
    posix_spawnattr_setsigmask(&plan.attributes, &none);
    posix_spawnattr_setpgroup(&plan.attributes, 0);
    posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: not written to
    words.push_back(nullptr);
    const std::vector<char*> environment = environment_with(variables);
    const int failed_by =
        ::posix_spawnp(&pid_, words.front(), &plan.files, &plan.attributes, words.data(), environment.data());
    if (failed_by != 0) pid_ = 0;
    output_.started();
    complaint_.started();
    return failed_by;
}

}  // namespace

result<std::unique_ptr<child_program>> spawn_program(const std::vector<std::string>& arguments,
                                                     const std::vector<secret_text>& variables) {
    auto out = std::make_unique<spawned>();
    const int reason = out->start(arguments, variables);
    if (reason == 0) return std::unique_ptr<child_program>(std::move(out));
    const std::string why = std::generic_category().message(reason);
    const bool missing = reason == ENOENT || reason == ENOTDIR;
    return fail(missing ? error_class::unavailable : error_class::transient,
                format_text("the program {} cannot be started: {}", arguments.front(), why));
}

}  // namespace gputide::auth
