#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

gputide::bench::allocated all;

void* counted(std::size_t size) {
    ++all.count;
    all.bytes += static_cast<std::int64_t>(size);
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;  // NOLINT: this is operator new
    throw std::bad_alloc();
}

}  // namespace

gputide::bench::allocated gputide::bench::so_far() noexcept { return all; }

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }               // NOLINT: as above
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT: as above
