// The library's log: off until the host asks, then one line a time to its sink or into a short queue that it empties.
// Process-wide, because what is logged belongs to no single handle.  Lines never hold a secret: texts come redacted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::runtime {

enum class log_level : std::int32_t { off = 0, error = 1, warning = 2, info = 3, debug = 4 };

struct log_sink {
    log_level level = log_level::off;                        // this one and more severe ones
    std::function<void(log_level, const char* line)> write;  // empty: lines wait for take_log()
    std::function<void()> finalize;                          // when the sink is replaced
};

struct log_line {
    log_level level = log_level::off;
    std::string text;
};

void set_log(log_sink sink);
bool log_wants(log_level level) noexcept;  // cheap: ask before making a line
void log(log_level level, std::string_view line);
std::optional<log_line> take_log();

}  // namespace gputide::runtime
