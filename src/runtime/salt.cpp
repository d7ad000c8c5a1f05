#include "runtime/salt.hpp"

#include <atomic>
#include <random>

namespace gputide::runtime {

std::uint32_t fresh_salt() {
    static std::atomic<std::uint32_t> next{std::random_device{}()};
    return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gputide::runtime
