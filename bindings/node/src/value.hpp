// Values of JavaScript and of C++: what every part of the addon needs of Node-API.
#ifndef GPUTIDE_NODE_VALUE_HPP
#define GPUTIDE_NODE_VALUE_HPP

#include <cstdint>
#include <node_api.h>
#include <string>
#include <string_view>

namespace gputide_node {

// A value that cannot be passed to C, thrown to the edge of the addon and there as JavaScript's own error.
struct refusal {
    bool wrong_type;  // a TypeError, ERR_INVALID_ARG_TYPE or _VALUE; else a RangeError, ERR_OUT_OF_RANGE
    const char* code;
    std::string message;
};
// JavaScript has thrown already.
struct pending_exception {};

inline void demand(napi_status status) {
    if (status != napi_ok) throw pending_exception();
}

[[noreturn]] void refuse_type(const std::string& what, const char* expected);
[[noreturn]] void refuse_value(const std::string& what, const std::string& why);
[[noreturn]] void refuse_range(const std::string& what, const std::string& why);

// Runs what may throw and gives JavaScript its error.
template <class Function>
napi_value guarded(napi_env env, Function&& function) noexcept;
napi_value throw_current(napi_env env) noexcept;

template <class Function>
napi_value guarded(napi_env env, Function&& function) noexcept {
    try {
        return function();
    } catch (...) {
        return throw_current(env);
    }
}

// A string as UTF-8, or the bytes of a Uint8Array.  A lone surrogate is refused.
std::string text_in(napi_env env, napi_value value, const char* what);
// The same where C reads up to a NUL: one inside is refused.
std::string terminated_in(napi_env env, napi_value value, const char* what);

// Numbers and bigints, whole and within the type.
std::int32_t int32_in(napi_env env, napi_value value, const char* what);
std::uint32_t uint32_in(napi_env env, napi_value value, const char* what);
std::int64_t int64_in(napi_env env, napi_value value, const char* what);
std::uint64_t uint64_in(napi_env env, napi_value value, const char* what);
double double_in(napi_env env, napi_value value, const char* what);
bool is_nothing(napi_env env, napi_value value);  // undefined or null

// The memory behind a DataView or an ArrayBuffer, the elements of a typed array; nothing for undefined and null.
struct bytes {
    void* data;
    std::size_t size;
};
bytes memory_in(napi_env env, napi_value value, const char* what);
bytes elements_in(napi_env env, napi_value value, napi_typedarray_type type, const char* what);

napi_value text_out(napi_env env, const char* data, std::size_t size);
napi_value text_out(napi_env env, const char* text);  // null for NULL
napi_value int_out(napi_env env, std::int32_t value);
napi_value uint_out(napi_env env, std::uint32_t value);
// A number where it is exact there, else a bigint.
napi_value int64_out(napi_env env, std::int64_t value);
napi_value uint64_out(napi_env env, std::uint64_t value);
napi_value null_out(napi_env env);
napi_value undefined_out(napi_env env);

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_VALUE_HPP
