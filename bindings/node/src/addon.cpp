// The functions that lib/native.js sees: those of the tables by their names, and what opens, frees, counts and ends.
#include "call.hpp"

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace gputide_node {
namespace {

struct arguments {
    napi_value values[2] = {nullptr, nullptr};

    arguments(napi_env env, napi_callback_info info) {
        std::size_t count = 2;
        demand(napi_get_cb_info(env, info, &count, values, nullptr, nullptr));
    }
};

// open(path or "", bundled): "" or the reason.
napi_value open(napi_env env, napi_callback_info info) {
    return guarded(env, [&] {
        const arguments given(env, info);
        const std::string path = terminated_in(env, given.values[0], "path");
        const std::string bundled = terminated_in(env, given.values[1], "bundled");
        const std::unique_ptr<char, decltype(&std::free)> problem(
            gputide_library_open(path.empty() ? nullptr : path.c_str(), bundled.c_str()), &std::free);
        return text_out(env, problem == nullptr ? "" : problem.get());
    });
}

napi_value path(napi_env env, napi_callback_info) {
    return guarded(env, [&] { return text_out(env, gputide_library_path()); });
}

napi_value release(napi_env env, napi_callback_info info) {
    return guarded(env, [&] {
        const arguments given(env, info);
        handle* const own = handle_in(env, given.values[0], "release");
        if (own != nullptr) environment_of(env).handles.free(*own);
        return undefined_out(env);
    });
}

napi_value alive(napi_env env, napi_callback_info) {
    return guarded(env, [&] { return uint_out(env, static_cast<std::uint32_t>(environment_of(env).handles.count())); });
}

// hold(true) before a call that the process should wait for, hold(false) behind it.
napi_value hold(napi_env env, napi_callback_info info) {
    return guarded(env, [&] {
        const arguments given(env, info);
        environment& own = environment_of(env);
        bool more = false;
        demand(napi_get_value_bool(env, given.values[0], &more));
        if (more && own.holds++ == 0) demand(napi_ref_threadsafe_function(env, own.done));
        if (!more && --own.holds == 0) demand(napi_unref_threadsafe_function(env, own.done));
        return undefined_out(env);
    });
}

napi_value on_error(napi_env env, napi_callback_info info) {
    return guarded(env, [&] {
        const arguments given(env, info);
        demand(napi_create_reference(env, given.values[0], 1, &environment_of(env).make_error));
        return undefined_out(env);
    });
}

napi_value shut_down(napi_env env, napi_callback_info) {
    return guarded(env, [&] {
        if (table() != nullptr) environment_of(env).shut_down();
        return undefined_out(env);
    });
}

void put(napi_env env, napi_value object, const char* name, napi_callback function) {
    napi_value value = nullptr;
    demand(napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value));
    demand(napi_set_named_property(env, object, name, value));
}

napi_value initialize(napi_env env, napi_value exports) {
    return guarded(env, [&] {
        std::make_unique<environment>(env).release();  // its cleanup hook ends it
        put(env, exports, "open", &open);
        put(env, exports, "path", &path);
        put(env, exports, "release", &release);
        put(env, exports, "alive", &alive);
        put(env, exports, "hold", &hold);
        put(env, exports, "on_error", &on_error);
        put(env, exports, "shut_down", &shut_down);
#define GPUTIDE_PUT(TABLE, NAME) put(env, exports, #NAME, &call<&TABLE::NAME>);
        GPUTIDE_CALLS(GPUTIDE_PUT)
#undef GPUTIDE_PUT
        napi_value waiting = nullptr;
        demand(napi_create_object(env, &waiting));
#define GPUTIDE_PUT(TABLE, NAME) put(env, waiting, #NAME, &call_waiting<&TABLE::NAME>);
        GPUTIDE_WAITING_CALLS(GPUTIDE_PUT)
#undef GPUTIDE_PUT
        demand(napi_set_named_property(env, exports, "waiting", waiting));
        return exports;
    });
}

}  // namespace
}  // namespace gputide_node

NAPI_MODULE_INIT() { return gputide_node::initialize(env, exports); }

namespace gputide_node {

gputide_error& thread_error() noexcept {
    static thread_local gputide_error last{};
    last.struct_size = sizeof last;
    return last;
}

void demand_open() {
    if (table() == nullptr) throw std::runtime_error("gputide: no library is open");
}

napi_value results::all() const {
    if (count == 0) return undefined_out(env);
    if (count == 1) return list[0];
    napi_value out = nullptr;
    demand(napi_create_array_with_length(env, count, &out));
    for (std::size_t index = 0; index < count; ++index) {
        demand(napi_set_element(env, out, static_cast<std::uint32_t>(index), list[index]));
    }
    return out;
}

napi_value error_for(napi_env env, const gputide_error& error, napi_value given) {
    napi_value make = nullptr, out = nullptr;
    demand(napi_get_reference_value(env, environment_of(env).make_error, &make));
    const napi_value arguments[] = {error_out(env, error), given};
    demand(napi_call_function(env, undefined_out(env), make, 2, arguments, &out));
    return out;
}

void reject_with_pending(napi_env env, napi_deferred deferred) noexcept {
    napi_value problem = nullptr;
    if (napi_get_and_clear_last_exception(env, &problem) == napi_ok) napi_reject_deferred(env, deferred, problem);
}

}  // namespace gputide_node
