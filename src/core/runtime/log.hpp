// The library's log: off by default, otherwise one line at a time to the host's sink and to each open reader.  Process-wide,
// because lines do not belong to a single handle.  Lines never contain a secret: texts are redacted before.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gputide::runtime {

enum class log_level : std::int32_t { off = 0, error = 1, warning = 2, info = 3, debug = 4 };

struct log_sink {
    log_level level = log_level::off;  // this level and more severe ones
    std::function<void(log_level, const char* line)> write;
    std::function<void()> finalize;  // called when the sink is replaced
};

struct log_line {
    log_level level = log_level::off;
    std::string text;
};

void set_log(log_sink sink);
bool log_wants(log_level level) noexcept;  // cheap: call it before formatting a line
void log(log_level level, std::string_view line);

// Receives every line from its construction on.  Buffers up to 256 lines and drops the oldest on overflow.
class log_reader {
  public:
    static constexpr std::int32_t for_ever = -1;

    explicit log_reader(log_level level);
    ~log_reader();
    log_reader(const log_reader&) = delete;
    log_reader& operator=(const log_reader&) = delete;

    // Waits for a line, at most timeout_ms (0: does not wait, for_ever). status no_data: timeout; canceled: by the flag (may be
    // null) or by close().
    result<log_line> next(std::int32_t timeout_ms, const http::cancel_flag* cancel);
    void put_back(log_line line);  // next() returns it again
    void close();                  // thread-safe; ends current and later waits

    struct queue;

  private:
    std::shared_ptr<queue> queue_;
};

}  // namespace gputide::runtime
