// Limits the memory of all response bodies in progress in the process: a server that inflates small responses to large ones and
// stalls must not exhaust the host's memory.  The first 64 KiB of a body are not counted, so that ordinary responses always
// arrive.  One endpoint gets at most half of the budget; the rest is for other endpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace gputide::http {

// The share of one body.  Thread-safe; the sums are atomic and outlive every client.
class body_share {
  public:
    body_share(std::string_view host, std::int32_t port);
    ~body_share();
    body_share(const body_share&) = delete;
    body_share& operator=(const body_share&) = delete;

    // Reserves memory before the body grows to `body_bytes`.  Returns false if the budget is used up; the share is then
    // unchanged.
    bool grow(std::size_t body_bytes);

  private:
    const std::size_t endpoint_;  // index into the sums per endpoint, which two endpoints may share
    std::size_t taken_bytes_ = 0;
};

// Decompresses a gzip or deflate body as it arrives. libcurl can do this too, but 7.88 accepts a truncated stream as complete: a
// page of metrics would lack its last series, and a sum would be too small.

class inflater {
  public:
    inflater();  // throws std::bad_alloc
    ~inflater();
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    // Passes the decompressed bytes to `use`.  Returns false for invalid data, or if `use` returned false.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& use);

    bool is_whole() const;  // the last stream is complete and its checksum matches

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputide::http
