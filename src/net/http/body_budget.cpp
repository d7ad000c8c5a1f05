// Keeps sums only, not a list of bodies: it allocates nothing when memory is short.
#include "http/body_budget.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

namespace gputide::http {

namespace {

constexpr std::size_t endpoint_sums = 1'024;

// One per process, as memory is; constant-initialized, so a fork or an exit runs no constructor or destructor.
constinit std::atomic<std::size_t> all_bytes{0};
constinit std::array<std::atomic<std::size_t>, endpoint_sums> bytes_of_endpoint{};

// Adds if the sum stays within `most`.
bool take(std::atomic<std::size_t>& sum, std::size_t bytes, std::size_t most) {
    std::size_t now = sum.load(std::memory_order_relaxed);
    do {
        if (bytes > most - std::min(now, most)) return false;
    } while (!sum.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed));
    return true;
}

}  // namespace

body_share::body_share(std::string_view host, std::int32_t port)
    : endpoint_((std::hash<std::string_view>()(host) + static_cast<std::size_t>(port)) % endpoint_sums) {}

body_share::~body_share() {
    bytes_of_endpoint[endpoint_].fetch_sub(taken_bytes_, std::memory_order_relaxed);
    all_bytes.fetch_sub(taken_bytes_, std::memory_order_relaxed);
}

bool body_share::grow(std::size_t body_bytes) {
    const std::size_t wanted = body_bytes - std::min(body_bytes, limits::free_body_bytes);
    if (wanted <= taken_bytes_) return true;
    const std::size_t more = wanted - taken_bytes_;
    if (!take(all_bytes, more, limits::bodies_bytes)) return false;
    if (!take(bytes_of_endpoint[endpoint_], more, limits::bodies_of_endpoint_bytes)) {
        all_bytes.fetch_sub(more, std::memory_order_relaxed);
        return false;
    }
    taken_bytes_ = wanted;
    return true;
}

}  // namespace gputide::http
