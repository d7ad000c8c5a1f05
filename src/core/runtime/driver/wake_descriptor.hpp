// One descriptor for a host's loop: readable while an event waits; where the host drives, also when the network stirs, a time
// has come or a scaler was changed.  Made when somebody asks for it; until then nothing here costs a system call.
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

    // network: the client's descriptor, which the host's loop is to watch through this one.
    result<int> open(int network);

    // Any thread.
    void event_waits(bool waits);
    void stir();

    // The driving thread.
    void host_drives(bool drives);     // or a thread does, and the network is none of the host's business
    void wake_after(std::int64_t ms);  // a step has been made and the next one is wanted then; -1: none

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
