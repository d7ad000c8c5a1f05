// What the bodies of all answers under way may take of the process's memory together, whoever asked: a peer that inflates
// small answers to large ones and stalls must not take the host's memory with it.  A body's first 64 KiB are free, so that
// ordinary answers arrive whatever others do; and one endpoint gets half of the budget, so that the others keep theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gputide::http {

// One body's part.  Any thread; the sums are atomic and outlive every client.
class body_share {
  public:
    body_share(std::string_view host, std::int32_t port);
    ~body_share();
    body_share(const body_share&) = delete;
    body_share& operator=(const body_share&) = delete;

    // Before the body grows to `body_bytes`.  False: there is no room; the share stays as it was.
    bool grow(std::size_t body_bytes);

  private:
    const std::size_t endpoint_;  // index into the sums per endpoint; two endpoints may share one
    std::size_t taken_bytes_ = 0;
};

}  // namespace gputide::http
