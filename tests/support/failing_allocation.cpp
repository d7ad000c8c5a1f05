#include "support/failing_allocation.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace {

thread_local int left = -1;  // allocations before the one that fails; -1: none does

}  // namespace

void* operator new(std::size_t size) {
    if (left >= 0 && left-- == 0) throw std::bad_alloc();
    if (void* out = std::malloc(size == 0 ? 1 : size)) return out;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return left >= 0 && left-- == 0 ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace gputide::testing {

bool lacks_allocation(int number, const std::function<void()>& what) {
    left = number;
    try {
        what();
    } catch (const std::bad_alloc&) {
    }
    return std::exchange(left, -1) < 0;
}

}  // namespace gputide::testing
