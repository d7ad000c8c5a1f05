#include "call.hpp"

#include <stdexcept>

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
