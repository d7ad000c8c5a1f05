// Memory for one value per metric or pod during one call: on the stack for usual counts, on the heap for more.  Elements are
// trivially destructible; only the requested number of elements is constructed.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace gputide::decide {

template <class T, std::size_t Inline>
class scratch {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    explicit scratch(std::size_t size) : size_(size) {
        if (size > Inline) heap_ = std::make_unique<std::byte[]>(size * sizeof(T));
        first_ = std::launder(reinterpret_cast<T*>(heap_ ? heap_.get() : inline_));
        std::uninitialized_value_construct_n(first_, size);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    T& operator[](std::size_t at) { return first_[at]; }
    const T& operator[](std::size_t at) const { return first_[at]; }
    std::span<T> all() { return {first_, size_}; }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    T* first_;
    std::unique_ptr<std::byte[]> heap_;
    alignas(T) std::byte inline_[Inline * sizeof(T)];
};

// Constructs target = make() in place.  Returning and copying a struct of small members would stall (store forwarding) on
// bytes that were just written one by one.
template <class T, class Make>
T& build(T& target, Make make) {
    static_assert(std::is_trivially_destructible_v<T>);
    return *::new (static_cast<void*>(&target)) T(make());
}

}  // namespace gputide::decide
