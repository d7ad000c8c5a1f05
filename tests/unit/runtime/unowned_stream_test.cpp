// Streams that are opened while memory ends: whichever allocation fails, none is open that nobody holds.
#include "streams.hpp"

#include <cstdlib>
#include <new>

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

namespace gputide::runtime {
namespace {

// True: that allocation was come to.
bool step_without(world& w, int allocation) {
    left = allocation;
    try {
        w.step();
    } catch (const std::bad_alloc&) {
    }
    return std::exchange(left, -1) < 0;
}

TEST_F(streams, none_is_open_that_nobody_holds) {
    std::string three = manifest_of("demo");
    for (int i = 0; i < 2; ++i) three.insert(three.rfind("]"), std::string(",") + trigger);
    int allocation = 0;
    for (bool was_reached = true; was_reached; ++allocation) {
        scaler.calls.clear();
        world narrow{every_decision()};
        narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
        narrow.observe(narrow.add_text(three), 0);
        was_reached = step_without(narrow, allocation);
        narrow.run(40'000);
        EXPECT_EQ(narrow.fleet.stats().streams, 3U) << allocation;
        EXPECT_EQ(opened(), 3) << allocation;
    }
    EXPECT_GT(allocation, 20);
}

}  // namespace
}  // namespace gputide::runtime
