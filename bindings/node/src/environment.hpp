// The open library, C handles as JavaScript holds them, and the state of one environment of Node (the main thread, a Worker).
#ifndef GPUTIDE_NODE_ENVIRONMENT_HPP
#define GPUTIDE_NODE_ENVIRONMENT_HPP

#include "abi.hpp"
#include "library.h"
#include "pool.hpp"
#include "value.hpp"

#include <memory>
#include <set>

namespace gputide_node {

// ---- the library: bindings/native opens it once per process, for every environment

// nullptr until some environment has opened the library.
inline const gputide_api_table* table() noexcept { return __atomic_load_n(&gputide_table, __ATOMIC_ACQUIRE); }

// The table of a component, of a library that is open.
template <class Table>
const Table* table_of() noexcept;
template <>
inline const gputide_api_table* table_of() noexcept {
    return table();
}
template <>
inline const gputide_plan_api_table* table_of() noexcept {
    return gputide_plan_table;
}
template <>
inline const gputide_kubernetes_api_table* table_of() noexcept {
    return gputide_kubernetes_table;
}

// ---- a handle: an external, with its kind, so that no two can be mixed up

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

// The state of one environment of Node (the main thread, a Worker) has of the addon.  Nothing but the library itself is shared.

struct environment {
    explicit environment(napi_env env);
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

    // Ends every call that waits and every runtime's thread, in 2 s at most; calls are refused from then on.  May be repeated.
    void shut_down() noexcept;

    napi_env env;
    open_handles handles;
    napi_ref make_error = nullptr;  // JavaScript's: (members of gputide_error, what was written) => an Error
    napi_threadsafe_function done = nullptr;
    std::shared_ptr<pool> threads;
    unsigned holds = 0;  // calls that the process waits for
    bool is_shut_down = false, all_ended = false;

  private:
    static void clean_up(void* self) noexcept;
};

environment& environment_of(napi_env env);

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_ENVIRONMENT_HPP
