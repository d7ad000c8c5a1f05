// A function for the length of a call, as a parameter: refers to the caller's closure and does not own it.  Unlike std::function
// it compiles neither a copy nor a destructor of the closure, and it never allocates.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace gputide {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
  public:
    // The closure, or the pointer to a function, must outlive this object.
    template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, function_ref> &&
             std::is_invocable_r_v<Result, Function&, Arguments...>)
        function_ref(Function&& function)  // NOLINT: implicit by design
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* of, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Function>*>(of))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

  private:
    void* function_;
    Result (*call_)(void* of, Arguments... arguments);
};

}  // namespace gputide
