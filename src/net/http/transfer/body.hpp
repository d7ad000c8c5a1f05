// Limits the memory of all response bodies in progress in the process: a peer that inflates small responses to large
// ones and stalls must not exhaust the host.  The first 64 KiB of a body are not counted, so that ordinary responses
// always arrive.  One endpoint gets half of the budget at most, so that the other endpoints keep the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace gputide::http {

// The share of one body.  Any thread; the sums are atomic and outlive every client.
class body_share {
  public:
    body_share(std::string_view host, std::int32_t port);
    ~body_share();
    body_share(const body_share&) = delete;
    body_share& operator=(const body_share&) = delete;

    // Reserves memory before the body grows to `body_bytes`.  False: the budget is used up; the share is unchanged.
    bool grow(std::size_t body_bytes);

  private:
    const std::size_t endpoint_;  // index into the sums per endpoint; two endpoints may share one
    std::size_t taken_bytes_ = 0;
};

// Decompresses a gzip or deflate body while it arrives.  libcurl can do it too, but it accepts a truncated stream as
// complete (7.88): a page of metrics would lack its last series, and a sum would be too small.

class inflater {
  public:
    inflater();  // throws std::bad_alloc
    ~inflater();
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    // Passes the decompressed bytes to `use`.  False: invalid data, or `use` returned false.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& use);

    bool is_whole() const;  // the last stream is complete and its checksum matched

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputide::http
