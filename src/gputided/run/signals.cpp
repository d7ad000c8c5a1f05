#include "run/signals.hpp"

#include <csignal>
#include <pthread.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gputided {
namespace {

constexpr int end_listener = SIGUSR2;  // our own word to the listening thread

sigset_t ours() {
    sigset_t out;
    ::sigemptyset(&out);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, end_listener}) ::sigaddset(&out, number);
    return out;
}

}  // namespace

signals::signals() : stop_fd_(::eventfd(0, EFD_CLOEXEC)), reload_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (stop_fd_ < 0 || reload_fd_ < 0) throw std::runtime_error("cannot make an eventfd");
    const sigset_t set = ours();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a child that does not read its stdin, a client that hangs up
    listener_ = std::thread([this] { listen(); });
}

signals::~signals() {
    ending_ = true;
    ::pthread_kill(listener_.native_handle(), end_listener);
    listener_.join();
    ::close(stop_fd_);
    ::close(reload_fd_);
}

void signals::listen() {
    const sigset_t set = ours();
    for (;;) {
        int number = 0;
        if (::sigwait(&set, &number) != 0) continue;
        if (number == end_listener && ending_) return;
        if (number == end_listener) continue;  // somebody else's: kill -USR2
        if (number == SIGHUP) {
            ::eventfd_write(reload_fd_, 1);
        } else {
            stop_ = true;
            ::eventfd_write(stop_fd_, 1);
        }
    }
}

bool signals::take_reload() {
    eventfd_t count = 0;
    return ::eventfd_read(reload_fd_, &count) == 0;
}

}  // namespace gputided
