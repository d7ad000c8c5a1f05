// Size-first structs at the door: a shorter caller's missing tail counts as zero, a longer caller's unknown tail must be
// zero, and nothing is written beyond what the caller has.
#pragma once

#include "base/result.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace gputide::capi {

// What every size-first struct needs at the least: struct_size and the four bytes behind it.
inline constexpr std::uint32_t least_struct_bytes = 8;

inline error no_struct_size(const char* name) {
    return fail(status::invalid,
                std::string(name) + ": struct_size is not set; zero-fill the struct and set it to sizeof");
}

inline bool all_zero(const unsigned char* bytes, std::size_t size) {
    return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

// A copy in this library's own layout of what lies at `bytes`, `size` bytes long by the caller's word.
template <class T>
result<T> read_bytes(const void* bytes, std::uint32_t size, const char* name) {
    const auto* from = static_cast<const unsigned char*>(bytes);
    if (size > sizeof(T) && !all_zero(from + sizeof(T), size - sizeof(T))) {
        return fail(status::too_new, std::string(name) +
                                         ": a member is set that this library does not know; it is older "
                                         "than the header that the caller was built with");
    }
    T out{};
    std::memcpy(&out, from, std::min<std::size_t>(size, sizeof(T)));
    return out;
}

// `in` itself says how long it is.
template <class T>
result<T> read_struct(const T* in, const char* name) {
    if (in == nullptr) return fail(status::invalid, std::string(name) + ": NULL");
    if (in->struct_size < least_struct_bytes) return no_struct_size(name);
    return read_bytes<T>(in, in->struct_size, name);
}

template <class T>
result<void> check_out(const T* out, const char* name) {
    if (out == nullptr) return fail(status::invalid, std::string(name) + ": NULL");
    if (out->struct_size < least_struct_bytes) return no_struct_size(name);
    return {};
}

// Writes as much of `value` as the caller has room for; its struct_size stays the caller's own.
template <class T>
void write_struct(T* out, T value) {
    const std::uint32_t size = out->struct_size;
    value.struct_size = size;
    std::memcpy(out, &value, std::min<std::size_t>(size, sizeof(T)));
}

// Element `index` of a caller's array whose elements are `size` bytes apart.
template <class T>
result<T> read_element(const T* first, std::uint32_t size, std::uint32_t index, const char* name) {
    const auto* at = reinterpret_cast<const unsigned char*>(first) + std::size_t{size} * index;
    return read_bytes<T>(at, size, name);
}

}  // namespace gputide::capi
