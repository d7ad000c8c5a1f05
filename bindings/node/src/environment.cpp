#include "environment.hpp"

#include <algorithm>
#include <chrono>

namespace gputide_node {
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
