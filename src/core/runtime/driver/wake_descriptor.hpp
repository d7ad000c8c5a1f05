// One descriptor for a host's loop: readable while an event waits; if the host drives, also when the network has work, a timer is
// due or a scaler was changed.  Created at the first request; until then this class makes no system calls.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <mutex>

namespace gputide::runtime {

class wake_descriptor {
  public:
    wake_descriptor() = default;
    ~wake_descriptor();
    wake_descriptor(const wake_descriptor&) = delete;
    wake_descriptor& operator=(const wake_descriptor&) = delete;

    // network: the client's descriptor, which the host's loop watches through this one.
    result<int> open(int network);

    // Thread-safe.
    void event_waits(bool waits);
    void stir();

    // Driving thread only.
    void host_drives(bool drives);     // false: a thread drives, and the host need not watch the network
    void wake_after(std::int64_t ms);  // after a step: the next step is due then; -1: none

  private:
    void watch(int descriptor, bool watched) const;
    void close_all();

    std::mutex lock_;
    int all_ = -1;  // an epoll over the others
    int events_ = -1, stirred_ = -1, timer_ = -1;
    int network_ = -1;  // the client's own
    bool event_waits_ = false;
    bool host_drives_ = true;
};

}  // namespace gputide::runtime
