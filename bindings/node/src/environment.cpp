#include "environment.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace gputide_node {
namespace {

// Frees a collected external.  JavaScript frees what it forgets before that, and the environment's end what is left: a
// handle that is open here was lost on its way to JavaScript.
void forget(napi_env env, void* data, void*) {
    const std::unique_ptr<handle> freed(static_cast<handle*>(data));
    void* own = nullptr;
    napi_get_instance_data(env, &own);
    if (own != nullptr) static_cast<environment*>(own)->handles.free(*freed);
}

}  // namespace

napi_value open_handles::adopt(napi_env env, const handle_kind* kind, void* pointer) {
    auto created = std::make_unique<handle>(handle{kind, pointer});
    napi_value out = nullptr;
    const napi_status made = napi_create_external(env, created.get(), &forget, nullptr, &out);
    if (made != napi_ok) {
        kind->free(pointer);
        demand(made);
    }
    open_.insert(created.get());
    static_cast<void>(created.release());
    return out;
}

void open_handles::free(handle& freed) {
    if (freed.pointer == nullptr) return;
    freed.kind->free(freed.pointer);
    freed.pointer = nullptr;
    open_.erase(&freed);
}

std::size_t open_handles::count() const noexcept {
    std::size_t cancels = 0;
    each<gputide_cancel>([&](gputide_cancel*) { ++cancels; });
    return open_.size() - cancels;
}

void open_handles::free_all() {
    while (!open_.empty()) free(**open_.begin());
}

handle* handle_in(napi_env env, napi_value value, const char* what) {
    void* data = nullptr;
    if (napi_get_value_external(env, value, &data) != napi_ok && !is_nothing(env, value)) refuse_type(what, "a handle");
    return static_cast<handle*>(data);
}

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds exit_time{2'000};

void settle(napi_env env, napi_value, void*, void* data) {
    const std::unique_ptr<task> done(static_cast<task*>(data));
    if (env != nullptr) done->settle(env);  // else the environment is ending: nothing listens
}

}  // namespace

environment::environment(napi_env own) : env(own) {
    napi_value name = nullptr;
    demand(napi_create_string_utf8(env, "gputide", NAPI_AUTO_LENGTH, &name));
    demand(
        napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr, &settle, &done));
    demand(napi_unref_threadsafe_function(env, done));
    threads = std::make_shared<pool>(done);
    // Hooks run from the last one added to the first: this one before the threadsafe function's own.
    demand(napi_add_env_cleanup_hook(env, &clean_up, this));
    demand(napi_set_instance_data(env, this, nullptr, nullptr));
}

void environment::shut_down() noexcept {
    if (is_shut_down) return;
    is_shut_down = true;
    const auto until = clock::now() + exit_time;
    const auto left = [until] {
        const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now());
        return std::max(time, std::chrono::milliseconds(0));
    };
    handles.each<gputide_runtime>([](gputide_runtime* runtime) { table()->runtime_close(runtime, 0, nullptr); });
    handles.each<gputide_cancel>([](gputide_cancel* cancel) { table()->cancel_fire(cancel); });
    handles.each<gputide_log_reader>([](gputide_log_reader* reader) { table()->log_close(reader); });
    all_ended = threads->ended_within(left());
    handles.each<gputide_runtime>([&](gputide_runtime* runtime) {
        const gputide_status closed = table()->runtime_close(runtime, static_cast<int32_t>(left().count()), nullptr);
        all_ended = all_ended && closed == GPUTIDE_OK;
    });
}

void environment::clean_up(void* self) noexcept {
    auto* const own = static_cast<environment*>(self);
    own->shut_down();
    napi_release_threadsafe_function(own->done, napi_tsfn_abort);
    napi_set_instance_data(own->env, nullptr, nullptr, nullptr);
    if (!own->all_ended) return;  // a thread is inside still: what it uses is left to it
    own->handles.free_all();
    delete own;
}

environment& environment_of(napi_env env) {
    void* data = nullptr;
    demand(napi_get_instance_data(env, &data));
    return *static_cast<environment*>(data);
}

}  // namespace gputide_node
