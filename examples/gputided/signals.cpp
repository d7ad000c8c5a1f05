#include "signals.hpp"

#include "files.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gputided {
namespace {

constexpr int end_listener = SIGUSR2;  // our own word to the listening thread
constexpr std::int64_t longest_wait_ms = 3'600'000;

sigset_t ours() {
    sigset_t out;
    ::sigemptyset(&out);
    for (const int one : {SIGTERM, SIGINT, SIGHUP, end_listener}) ::sigaddset(&out, one);
    return out;
}

}  // namespace

signals::signals() : stop_fd_(::eventfd(0, EFD_CLOEXEC)) {
    if (stop_fd_ < 0) throw std::runtime_error("cannot make an eventfd");
    const sigset_t set = ours();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a child that does not read its stdin, a client that hangs up
    listener_ = std::thread([this] { listen(); });
}

signals::~signals() {
    ::pthread_kill(listener_.native_handle(), end_listener);
    listener_.join();
    ::close(stop_fd_);
}

void signals::listen() {
    const sigset_t set = ours();
    for (;;) {
        int got = 0;
        if (::sigwait(&set, &got) != 0) continue;
        if (got == end_listener) return;
        const std::lock_guard hold(lock_);
        if (got == SIGHUP) {
            reload_ = true;
        } else {
            stop();
        }
        changed_.notify_all();
    }
}

void signals::stop() {
    stop_ = true;
    cancel_.fire();
    ::eventfd_write(stop_fd_, 1);
}

wake signals::wait_until(std::int64_t unix_ms) {
    std::unique_lock hold(lock_);
    const std::int64_t wait_ms = std::clamp<std::int64_t>(unix_ms - unix_now_ms(), 0, longest_wait_ms);
    changed_.wait_for(hold, std::chrono::milliseconds(wait_ms), [this] { return stop_ || reload_; });
    if (stop_) return wake::stop;
    if (reload_) return reload_ = false, wake::reload;
    return wake::due;
}

bool signals::stopping() const {
    const std::lock_guard hold(lock_);
    return stop_;
}

}  // namespace gputided
