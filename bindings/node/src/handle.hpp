// A C handle as JavaScript holds it: an external, with its kind, so that no two can be mixed up.
#ifndef GPUTIDE_NODE_HANDLE_HPP
#define GPUTIDE_NODE_HANDLE_HPP

#include "abi.hpp"
#include "library.hpp"
#include "value.hpp"

#include <set>

namespace gputide_node {

// One for each type of handle; its address is its identity.
struct handle_kind {
    const char* name;
    void (*free)(void* pointer);
};

template <class Type>
const handle_kind* kind_of() noexcept;

#define GPUTIDE_KIND(TABLE, NAME)                                                                                 \
    template <>                                                                                                   \
    inline const handle_kind* kind_of<gputide_##NAME>() noexcept {                                                \
        static constexpr handle_kind kind{                                                                        \
            #NAME, [](void* pointer) { table_of<TABLE>()->NAME##_free(static_cast<gputide_##NAME*>(pointer)); }}; \
        return &kind;                                                                                             \
    }
#define log_reader_free log_free  // the one with a function that is not named after it
GPUTIDE_HANDLES(GPUTIDE_KIND)
#undef log_reader_free
#undef GPUTIDE_KIND

struct handle {
    const handle_kind* kind;
    void* pointer;  // nullptr once it was freed
};

// The handles of one environment that are open: what JavaScript counts, and what ends with the environment.
class open_handles {
  public:
    napi_value adopt(napi_env env, const handle_kind* kind, void* pointer);
    void free(handle& freed);
    std::size_t count() const noexcept;  // without cancels, which belong to calls

    template <class Type, class Function>
    void each(Function&& function) const {
        for (handle* const open : open_) {
            if (open->kind == kind_of<Type>()) function(static_cast<Type*>(open->pointer));
        }
    }
    void free_all();

  private:
    std::set<handle*> open_;
};

// nullptr for undefined and null.
handle* handle_in(napi_env env, napi_value value, const char* what);

template <class Type>
Type* handle_in(napi_env env, napi_value value) {
    handle* const own = handle_in(env, value, kind_of<Type>()->name);
    if (own == nullptr) return nullptr;
    if (own->kind != kind_of<Type>()) refuse_type(kind_of<Type>()->name, "a handle of that kind");
    if (own->pointer == nullptr) refuse_value(own->kind->name, "the handle was freed");
    return static_cast<Type*>(own->pointer);
}

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_HANDLE_HPP
