// The C library's allocations of this process, each of which can be made to fail.  What lies below the C API (libcurl, OpenSSL,
// libyaml, operator new) allocates through them too.  They fail for the thread that armed them alone.
#pragma once

#include <array>
#include <cstddef>

namespace exhaustion {

enum class failing { once, from_then_on };

struct call_stack {
    std::array<void*, 48> frames{};
    int depth = 0;
};
call_stack own_stack();

struct outcome {
    bool failed = false;  // it came to that allocation
    long live = 0;        // blocks of all threads made since arm() and not freed, known at disarm()
    call_stack at;        // the allocation that failed
};

// Allocation number `number` fails, from 0; and those behind it, as `how` says.  `seen` is written from now to disarm().
void arm(long number, failing how, outcome& seen);
void disarm();

// From arm() on, notes the maker of each block; slow.
void watch_blocks(bool on);
// The owner of the first frame: the file that is neither the C nor the C++ library nor this program.  "": none of them.
const char* owner(const call_stack& stack);

struct watched_block {
    void* block = nullptr;
    call_stack made;
};
inline constexpr std::size_t max_watched = 16'384;
const watched_block* watched_blocks();

// show(stack) for each block made while watched and not freed.
template <class Show>
void each_left(Show show) {
    for (std::size_t i = 0; i < max_watched; ++i) {
        if (watched_blocks()[i].block != nullptr) show(watched_blocks()[i].made);
    }
}

}  // namespace exhaustion
