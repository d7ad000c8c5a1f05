#include "pipeline/salt.hpp"

#include "base/process.hpp"

#include <atomic>
#include <sys/random.h>

namespace gputide::pipeline {
namespace {

// Where the system has no random number to give yet, an address that it has chosen at random.
std::uint32_t drawn() noexcept {
    std::uint32_t out = 0;
    if (::getrandom(&out, sizeof out, GRND_NONBLOCK) == sizeof out) return out;
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&out) >> 4U);
}

std::atomic<std::uint32_t> next_salt{drawn()};

// Knuth's multiplicative hash: a child of fork goes on from its parent's number, far away from it.
constexpr std::uint32_t apart = 2'654'435'761U;

}  // namespace

std::uint32_t fresh_salt() noexcept {
    return next_salt.fetch_add(1, std::memory_order_relaxed) + static_cast<std::uint32_t>(current_process()) * apart;
}

}  // namespace gputide::pipeline
