// A function to be called later: owns any callable, can be moved, cannot be copied.  Unlike std::function it compiles no copy
// of the closure, so a closure may own move-only objects, and the code of a call site is smaller.
#pragma once

#include "base/function_ref.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace gputide {

template <class Signature>
class callback;

template <class Result, class... Arguments>
class callback<Result(Arguments...)> {
    struct holder {
        Result (*call)(holder&, passed<Arguments>...);
        void (*free)(holder*) noexcept;
    };
    template <class Function>
    struct holder_of final : holder {
        explicit holder_of(Function&& given)
            : holder{[](holder& self, passed<Arguments>... arguments) -> Result {
                         return static_cast<holder_of&>(self).function(std::forward<Arguments>(arguments)...);
                     },
                     [](holder* self) noexcept { delete static_cast<holder_of*>(self); }},
              function(std::move(given)) {}
        Function function;
    };
    struct free_holder {
        void operator()(holder* what) const noexcept { what->free(what); }
    };

  public:
    callback() = default;
    callback(std::nullptr_t) noexcept {}  // NOLINT: implicit by design, as are the others
    template <class Function>
    requires(!std::same_as<Function, callback> && std::is_invocable_r_v<Result, Function&, Arguments...>)
        callback(Function given)  // NOLINT: as above
        : holder_(new holder_of<Function>(std::move(given))) {}
    // An empty std::function makes an empty callback.
    callback(std::function<Result(Arguments...)> given) {  // NOLINT: as above
        if (given) holder_.reset(new holder_of<std::function<Result(Arguments...)>>(std::move(given)));
    }

    explicit operator bool() const noexcept { return holder_ != nullptr; }

    // Must not be called on an empty callback.  An argument that is passed by reference must exist until the call ends.
    Result operator()(passed<Arguments>... arguments) const {
        return holder_->call(*holder_, std::forward<Arguments>(arguments)...);
    }

  private:
    std::unique_ptr<holder, free_holder> holder_;
};

}  // namespace gputide
