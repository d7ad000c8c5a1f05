#include "handle.hpp"

#include "environment.hpp"

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

}  // namespace gputide_node
