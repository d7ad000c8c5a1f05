// Lines to a descriptor that somebody else reads, or does not: who adds one never waits.  A bounded queue and a thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace gputided {

class line_writer {
  public:
    explicit line_writer(int descriptor);  // borrowed
    ~line_writer();                        // what waits is written as far as somebody reads, for 200 ms at most
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;

    // Any thread.  Dropped and counted where 1 MiB waits already, or where the reader is gone.
    void add(const std::string& line);
    std::int64_t dropped() const { return dropped_; }

  private:
    void serve();
    bool write_some(std::string_view& rest) const;  // false: the reader is gone
    bool is_writable() const;                       // waits for it, and for the end

    static constexpr std::size_t most_waiting_bytes = std::size_t{1} << 20;

    const int descriptor_;
    const int ending_descriptor_;  // readable for ever once the end has come
    std::mutex lock_;
    std::condition_variable changed_;
    std::string waiting_;
    bool ending_ = false;
    bool reader_is_gone_ = false;
    std::atomic<std::int64_t> dropped_{0};
    std::atomic<std::int64_t> end_by_ms_{0};  // steady; 0: no end in sight
    std::thread thread_;
};

}  // namespace gputided
