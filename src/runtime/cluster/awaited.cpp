#include "runtime/cluster/awaited.hpp"

namespace gputide::runtime {

std::int64_t lost_ms(const http::loop& loop, const cluster::shard_leads* leads) {
    constexpr std::int64_t longest_reads_ms = 60'000, most_writes = 4;  // of one step, generously
    return loop.steady_ms() + longest_reads_ms + (leads != nullptr ? most_writes * leads->write_ms() : 0);
}

}  // namespace gputide::runtime
