#include "memory.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <mutex>

// The C library's own, under the names that it keeps for those who stand in front of it.
extern "C" {
void* __libc_malloc(std::size_t size);                          // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);       // NOLINT
void* __libc_realloc(void* memory, std::size_t size);           // NOLINT
void* __libc_memalign(std::size_t boundary, std::size_t size);  // NOLINT
void __libc_free(void* memory);                                 // NOLINT
}

namespace exhaustion {
namespace {

struct arming {
    outcome* seen = nullptr;  // null: not armed
    failing how = failing::once;
    long left = 0;
};
thread_local arming mine;
thread_local bool looking = false;  // backtrace() may allocate

// Blocks of all threads: another thread may free them.
std::atomic<bool> counting{false};
std::atomic<long> live{0};
std::atomic<bool> watching{false};
std::mutex watched_lock;
std::array<watched_block, max_watched> watched;

call_stack look() {
    looking = true;
    const call_stack out = own_stack();
    looking = false;
    return out;
}

bool fails() {
    if (mine.seen == nullptr || looking || mine.left-- > 0) return false;
    if (mine.seen->failed && mine.how == failing::once) return false;
    if (!mine.seen->failed) {
        mine.seen->at = look();
        mine.seen->failed = true;
    }
    errno = ENOMEM;
    return true;
}

watched_block* place_of(void* wanted) {
    const std::size_t first = (reinterpret_cast<std::uintptr_t>(wanted) >> 4U) % max_watched;
    for (std::size_t i = 0; i < max_watched; ++i) {
        watched_block& slot = watched[(first + i) % max_watched];
        if (slot.block == wanted) return &slot;
    }
    return nullptr;
}

void watch(void* block) {
    const call_stack made = look();
    const std::lock_guard hold(watched_lock);
    for (std::size_t first = (reinterpret_cast<std::uintptr_t>(block) >> 4U) % max_watched, i = 0; i < max_watched;
         ++i) {
        watched_block& slot = watched[(first + i) % max_watched];
        if (slot.block != nullptr) continue;
        slot = {block, made};
        return;
    }
}

void* counted(void* memory) {
    if (memory == nullptr || looking || !counting) return memory;
    ++live;
    if (watching) watch(memory);
    return memory;
}

void uncounted(void* memory) {
    if (memory == nullptr || looking || !counting) return;
    --live;
    if (!watching) return;
    const std::lock_guard hold(watched_lock);
    if (watched_block* slot = place_of(memory)) slot->block = nullptr;
}

bool is_below(const char* file) {
    const char* slash = std::strrchr(file, '/');
    const char* name = slash == nullptr ? file : slash + 1;
    for (const char* below : {"libc.so", "libstdc++.so", "libgcc_s.so", "ld-linux"}) {
        if (std::strncmp(name, below, std::strlen(below)) == 0) return true;
    }
    return false;
}

const char* file_of(void* address) {
    Dl_info info{};
    return ::dladdr(address, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

}  // namespace

call_stack own_stack() {
    call_stack out;
    out.depth = ::backtrace(out.frames.data(), static_cast<int>(out.frames.size()));
    return out;
}

void arm(long number, failing how, outcome& seen) {
    (void)own_stack();  // backtrace() loads libgcc_s at its first call
    seen = {};
    mine.how = how;
    mine.left = number;
    mine.seen = &seen;
    live = 0;
    counting = true;
}

void disarm() {
    counting = false;
    if (mine.seen != nullptr) mine.seen->live = live;
    mine.seen = nullptr;
}

void watch_blocks(bool on) {
    if (on) watched.fill({});
    watching = on;
}

const watched_block* watched_blocks() { return watched.data(); }

const char* owner(const call_stack& stack) {
    const char* own = file_of(reinterpret_cast<void*>(&owner));
    for (int i = 0; i < stack.depth; ++i) {
        const char* file = file_of(stack.frames[static_cast<std::size_t>(i)]);
        if (std::strcmp(file, own) != 0 && !is_below(file)) return file;
    }
    return "";
}

}  // namespace exhaustion

extern "C" {

void* malloc(std::size_t size) { return exhaustion::fails() ? nullptr : exhaustion::counted(__libc_malloc(size)); }

void* calloc(std::size_t count, std::size_t size) {
    return exhaustion::fails() ? nullptr : exhaustion::counted(__libc_calloc(count, size));
}

void* realloc(void* memory, std::size_t size) {
    if (exhaustion::fails()) return nullptr;
    exhaustion::uncounted(memory);
    return exhaustion::counted(__libc_realloc(memory, size));
}

void* memalign(std::size_t boundary, std::size_t size) {
    return exhaustion::fails() ? nullptr : exhaustion::counted(__libc_memalign(boundary, size));
}

void* aligned_alloc(std::size_t boundary, std::size_t size) { return memalign(boundary, size); }

int posix_memalign(void** out, std::size_t boundary, std::size_t size) {
    *out = memalign(boundary, size);
    return *out == nullptr ? ENOMEM : 0;
}

void free(void* memory) {
    exhaustion::uncounted(memory);
    __libc_free(memory);
}
}
