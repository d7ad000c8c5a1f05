#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

gputide::bench::allocated all;

void* counted_or_null(std::size_t size) noexcept {
    ++all.count;
    all.bytes += static_cast<std::int64_t>(size);
    return std::malloc(size == 0 ? 1 : size);  // NOLINT: this is operator new
}

void* counted(std::size_t size) {
    if (void* memory = counted_or_null(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

gputide::bench::allocated gputide::bench::so_far() noexcept { return all; }

// All of them: a sanitizer's own would not count, and would not match these deletes.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }                 // NOLINT: as above
void operator delete[](void* memory) noexcept { std::free(memory); }               // NOLINT: as above
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }    // NOLINT: as above
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT: as above
