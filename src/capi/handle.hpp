// What every handle of gputide.h has in common: it belongs to the process that made it.
#pragma once

#include "base/process.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace gputide::capi {

struct handle {
    std::uint64_t process = current_process();

    bool is_here() const noexcept { return process == current_process(); }
};

// new T{handle, parts...}: what *out of an _open or _new gets.
template <class T, class... Parts>
T* make_handle(Parts&&... parts) {
    return std::make_unique<T>(T{{}, std::forward<Parts>(parts)...}).release();
}

// Every _free: NULL and the handles of a parent process are left alone, as what they hold (threads, locks, connections) is not
// there in a child.
template <class T>
void end(T* one) noexcept {
    if (one != nullptr && one->is_here()) delete one;
}

}  // namespace gputide::capi
