// A static value that is not destroyed at process exit: a thread of the host may still read it during exit, and the library
// has no exit handler.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace gputide {

template <class T>
class never_destroyed {
  public:
    template <class... Parts>
    explicit never_destroyed(Parts&&... parts)
        : value_(::new (static_cast<void*>(storage_)) T(std::forward<Parts>(parts)...)) {}
    never_destroyed(const never_destroyed&) = delete;
    never_destroyed& operator=(const never_destroyed&) = delete;

    T& operator*() const noexcept { return *value_; }
    T* operator->() const noexcept { return value_; }

  private:
    alignas(T) std::byte storage_[sizeof(T)];
    T* value_;
};

}  // namespace gputide
