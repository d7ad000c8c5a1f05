// A value or an error.  Errors inside the library are results, not exceptions.
#pragma once

#include "base/error.hpp"

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace gputide {

// Usage:   result<int> n = parse(text);   if (!n) return n.take_failure();   use(*n);
template <class T>
class [[nodiscard]] result {
  public:
    result(T value) : ok_(true), value_(std::move(value)) {}                      // NOLINT: implicit by design
    result(error_ptr failure) noexcept : ok_(false), why_(std::move(failure)) {}  // NOLINT: as above
    result(gputide::error failure) : result(error_ptr(std::move(failure))) {}     // NOLINT: as above

    result(const result& other) requires std::copy_constructible<T> : ok_(other.ok_) {
        if (ok_) {
            std::construct_at(&value_, other.value_);
        } else {
            std::construct_at(&why_, other.why_);
        }
    }
    result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
        if (ok_) {
            std::construct_at(&value_, std::move(other.value_));
        } else {
            std::construct_at(&why_, std::move(other.why_));
        }
    }
    result& operator=(const result& other) requires std::copy_constructible<T> { return *this = result(other); }
    result& operator=(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        if (this == &other) return *this;
        std::destroy_at(this);
        return *std::construct_at(this, std::move(other));
    }
    ~result() {
        if (ok_) {
            value_.~T();
        } else {
            why_.~error_ptr();
        }
    }

    explicit operator bool() const { return ok_; }
    bool ok() const { return ok_; }

    T& operator*() & { return value_; }
    const T& operator*() const& { return value_; }
    T&& operator*() && { return std::move(value_); }
    T* operator->() { return &value_; }
    const T* operator->() const { return &value_; }

    // Must be called only if ok() is false.
    gputide::error& failure() & { return *why_; }
    const gputide::error& failure() const& { return *why_; }
    gputide::error&& failure() && { return std::move(*why_); }
    error_ptr take_failure() { return std::move(why_); }  // moves a pointer, to pass the error on unchanged

  private:
    bool ok_;
    union {
        T value_;
        error_ptr why_;
    };
};

// A success has no value.
template <>
class [[nodiscard]] result<void> {
  public:
    result() = default;
    result(error_ptr failure) noexcept : why_(std::move(failure)) {}           // NOLINT: implicit by design
    result(gputide::error failure) : result(error_ptr(std::move(failure))) {}  // NOLINT: as above

    explicit operator bool() const { return why_.empty(); }
    bool ok() const { return why_.empty(); }
    gputide::error& failure() & { return *why_; }
    const gputide::error& failure() const& { return *why_; }
    gputide::error&& failure() && { return std::move(*why_); }
    error_ptr take_failure() { return std::move(why_); }

  private:
    error_ptr why_;  // empty: success
};

}  // namespace gputide
