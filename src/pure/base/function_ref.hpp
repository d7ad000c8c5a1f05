// A function for the length of a call, as a parameter: refers to the caller's closure and does not own it.  Unlike std::function
// it compiles neither a copy nor a destructor of the closure, and it never allocates.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace gputide {

// The type with which a parameter is passed on: a small value as such, anything else by reference, so that no layer between
// the caller and the function moves it.
template <class Parameter>
using passed = std::conditional_t<std::is_reference_v<Parameter> || (std::is_trivially_copyable_v<Parameter> &&
                                                                     sizeof(Parameter) <= 2 * sizeof(void*)),
                                  Parameter, Parameter&&>;

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
          call_([](void* of, passed<Arguments>... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Function>*>(of))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(passed<Arguments>... arguments) const {
        return call_(function_, std::forward<Arguments>(arguments)...);
    }

  private:
    void* function_;
    Result (*call_)(void* of, passed<Arguments>... arguments);
};

}  // namespace gputide
