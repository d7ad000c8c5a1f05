#include "runtime/driver/memory_notice.hpp"

#include "base/format_text.hpp"
#include "http/failed_allocations.hpp"
#include "runtime/log.hpp"

#include <exception>

namespace gputide::runtime {

memory_notice::memory_notice() : said_(http::failed_allocations()) {}

void memory_notice::look(std::int64_t steady_ms) noexcept {
    const std::uint64_t count = http::failed_allocations();
    if (count == said_ || steady_ms < next_ms_) return;
    try {
        log(log_level::error,
            format_text("runtime: {} allocations failed for lack of memory; the affected operations are retried and do "
                        "not work meanwhile: give the process more memory, or fewer objects to watch",
                        count - said_));
        said_ = count;
        next_ms_ = steady_ms + interval_ms;
    } catch (const std::exception&) {  // logged once there is memory for it
    }
}

}  // namespace gputide::runtime
