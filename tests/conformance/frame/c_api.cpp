#include "frame/c_api.hpp"

#include "protocol/call.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace conformance {
namespace {

// A handle may be closed before or after those that it was made from: each order gets its turn.
constexpr std::array<const char*, 3> close_orders{"forward", "reverse", "collect"};

[[noreturn]] void broken(const std::string& problem) { throw std::runtime_error("the C API: " + problem); }

class linked_c_api final : public c_api {
  public:
    linked_c_api() { set_hello(library_.hello()); }

  private:
    json answer(const json& line) override { return library_.answer(line); }

    executor library_;
};

}  // namespace

void c_api::set_hello(json hello) {
    if (hello.value("protocol", 0) != 1) broken("expected a hello of protocol 1, got " + hello.dump());
    hello_ = std::move(hello);
}

json c_api::results(const json& calls) {
    for (const json& call : calls) {
        const json& known = hello_.at("calls");
        if (std::find(known.begin(), known.end(), call.at("call")) == known.end())
            throw unknown_call("the program does not know the call " + call.at("call").dump());
    }
    const json got =
        answer({{"case", case_name_}, {"calls", calls}, {"close", close_orders[lines_++ % close_orders.size()]}});
    if (got.contains("fault")) broken(got.at("fault").get<std::string>());
    if (got.value("case", "") != case_name_) broken("it answers another case: " + got.value("case", "none"));
    if (got.at("alive") != 0) broken(got.at("alive").dump() + " handles are alive after the case");
    const json& results = got.at("results");
    if (results.size() != calls.size())
        broken("expected " + std::to_string(calls.size()) + " results, got " + std::to_string(results.size()));
    return results;
}

json c_api::last_result(const json& calls) {
    const json all = results(calls);
    if (!all.back().contains("missing")) return all.back();
    const auto failed =
        std::find_if(all.begin(), all.end(), [](const json& object) { return object.contains("error"); });
    return failed != all.end() ? *failed : all.back();
}

std::unique_ptr<c_api> open_linked_c_api() { return std::make_unique<linked_c_api>(); }

}  // namespace conformance

// The C API of another program: protocol 1 over its stdin and stdout.

namespace conformance {
namespace {

constexpr int timeout_ms =
    120'000;  // of one line: a test's program may run under a sanitizer, its language may start slowly

class descriptor {
  public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { reset(-1); }
    int get() const { return number_; }
    void reset(int number) {
        if (number_ >= 0) ::close(number_);
        number_ = number;
    }

  private:
    int number_;
};

struct pipe_ends {
    descriptor read, write;
    pipe_ends() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        read.reset(ends[0]);
        write.reset(ends[1]);
    }
};

// The shell's exit status as the shell itself tells it.
int exit_status(int waited) { return WIFEXITED(waited) ? WEXITSTATUS(waited) : 128 + WTERMSIG(waited); }

}  // namespace

class program_c_api final : public c_api {
  public:
    explicit program_c_api(const std::string& command) {
        ::signal(SIGPIPE, SIG_IGN);  // a program that has ended shows in its answer
        child_ = ::fork();
        if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (child_ == 0) {
            ::dup2(input_.read.get(), STDIN_FILENO);
            ::dup2(output_.write.get(), STDOUT_FILENO);
            ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            ::_exit(127);
        }
        input_.read.reset(-1);
        output_.write.reset(-1);
        set_hello(read_line());
    }
    ~program_c_api() override {
        if (child_ > 0) wait_for_end();
    }

    int close() override {
        const int status = wait_for_end();
        child_ = -1;
        return status;
    }

  private:
    int wait_for_end() {
        input_.write.reset(-1);
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        return exit_status(status);
    }

    json answer(const json& line) override {
        const std::string text = line.dump() + "\n";
        for (std::string_view rest = text; !rest.empty();) {
            const ssize_t written = ::write(input_.write.get(), rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) throw std::runtime_error("the C API's program takes no more lines");
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
        return read_line();
    }

    json read_line() {
        std::size_t end = read_.find('\n');
        while (end == std::string::npos) {
            pollfd waiting{output_.read.get(), POLLIN, 0};
            const int ready = ::poll(&waiting, 1, timeout_ms);
            if (ready == 0) throw std::runtime_error("the C API's program does not answer");
            std::array<char, 65536> buffer{};
            const ssize_t size = ready < 0 ? -1 : ::read(output_.read.get(), buffer.data(), buffer.size());
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) throw std::runtime_error("the C API's program has ended");
            const std::size_t before = read_.size();
            read_.append(buffer.data(), static_cast<std::size_t>(size));
            end = read_.find('\n', before);
        }
        const std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        json out = json::parse(line, nullptr, false);
        if (!out.is_object())
            throw std::runtime_error("the C API's program wrote no JSON object: " + line.substr(0, 200));
        return out;
    }

    pipe_ends input_, output_;
    pid_t child_ = -1;
    std::string read_;
};

std::unique_ptr<c_api> open_program_c_api(const std::string& command) {
    return std::make_unique<program_c_api>(command);
}

}  // namespace conformance
