// A value or an error.  Errors inside the library are results, not exceptions.
#pragma once

#include "base/error.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace gputide {

// Usage:   result<int> n = parse(text);   if (!n) return n.failure();   use(*n);
template <class T>
class [[nodiscard]] result {
  public:
    result(T value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    result(gputide::error failure) : content_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT: as above

    explicit operator bool() const { return content_.index() == 0; }
    bool ok() const { return content_.index() == 0; }

    T& operator*() & { return *std::get_if<0>(&content_); }
    const T& operator*() const& { return *std::get_if<0>(&content_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&content_)); }
    T* operator->() { return std::get_if<0>(&content_); }
    const T* operator->() const { return std::get_if<0>(&content_); }

    // Requires ok() to be false.
    gputide::error& failure() & { return *std::get_if<1>(&content_); }
    const gputide::error& failure() const& { return *std::get_if<1>(&content_); }
    gputide::error&& failure() && { return std::move(*std::get_if<1>(&content_)); }

  private:
    std::variant<T, gputide::error> content_;
};

// Success carries nothing.
template <>
class [[nodiscard]] result<void> {
  public:
    // Written out, since `return {};` would first zero the memory of an error that does not exist.
    result() noexcept {}                                              // NOLINT(modernize-use-equals-default): as above
    result(gputide::error failure) : failure_(std::move(failure)) {}  // NOLINT: implicit by design

    explicit operator bool() const { return !failure_.has_value(); }
    bool ok() const { return !failure_.has_value(); }
    gputide::error& failure() & { return *failure_; }
    const gputide::error& failure() const& { return *failure_; }
    gputide::error&& failure() && { return std::move(*failure_); }

  private:
    std::optional<gputide::error> failure_;
};

}  // namespace gputide
