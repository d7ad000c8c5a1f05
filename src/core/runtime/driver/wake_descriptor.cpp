#include "runtime/driver/waiting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace gputide::runtime {
namespace {

void set(int descriptor) {
    const std::uint64_t uint64_t = 1;
    (void)!::write(descriptor, &uint64_t, sizeof uint64_t);
}

void clear(int descriptor) {
    std::uint64_t count = 0;
    (void)!::read(descriptor, &count, sizeof count);
}

}  // namespace

wake_descriptor::~wake_descriptor() { close_all(); }

void wake_descriptor::close_all() {
    for (int* descriptor : {&all_, &events_, &stirred_, &timer_}) {
        if (*descriptor >= 0) ::close(*descriptor);
        *descriptor = -1;
    }
}

void wake_descriptor::watch(int descriptor, bool watched) const {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(all_, watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &event);
}

result<int> wake_descriptor::open(int network) {
    const std::lock_guard hold(lock_);
    if (all_ >= 0) return all_;
    all_ = ::epoll_create1(EPOLL_CLOEXEC);
    events_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    stirred_ = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);  // no step was made for this descriptor yet
    timer_ = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (all_ < 0 || events_ < 0 || stirred_ < 0 || timer_ < 0) {
        const int why = errno;
        close_all();
        return fail(status::unavailable, "no descriptor for the host's loop: {}", std::strerror(why));
    }
    network_ = network;
    if (event_waits_) set(events_);
    watch(events_, true);
    if (host_drives_) {
        for (const int descriptor : {stirred_, timer_, network_}) watch(descriptor, true);
    }
    return all_;
}

void wake_descriptor::event_waits(bool waits) {
    const std::lock_guard hold(lock_);
    event_waits_ = waits;
    if (all_ < 0) return;
    waits ? set(events_) : clear(events_);
}

void wake_descriptor::stir() {
    const std::lock_guard hold(lock_);
    if (all_ >= 0) set(stirred_);
}

void wake_descriptor::host_drives(bool drives) {
    const std::lock_guard hold(lock_);
    host_drives_ = drives;
    if (all_ < 0) return;
    for (const int descriptor : {stirred_, timer_, network_}) watch(descriptor, drives);
    if (drives) set(stirred_);
}

void wake_descriptor::wake_after(std::int64_t ms) {
    const std::lock_guard hold(lock_);
    if (all_ < 0) return;
    clear(stirred_);
    itimerspec at{};
    if (ms >= 0) {
        at.it_value.tv_sec = ms / 1'000;
        at.it_value.tv_nsec = std::max<std::int64_t>(1, ms % 1'000 * 1'000'000);  // all zeros would disarm it
    }
    ::timerfd_settime(timer_, 0, &at, nullptr);
}

}  // namespace gputide::runtime
