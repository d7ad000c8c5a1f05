// Structs with their size as first member.  A caller of an earlier release has a shorter struct: its missing members count as
// zero.  A newer caller has a longer struct: the members unknown here must be zero.  Nothing is written beyond the caller's
// struct.
#pragma once

#include "base/result.hpp"
#include "gputide/gputide.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gputide::capi {

// Size of a struct in its first release, the smallest accepted size.  A struct that grows keeps its old size here by a
// specialization.
template <class T>
inline constexpr std::uint32_t first_release_bytes = sizeof(T);

[[gnu::cold]] inline error wrong_size(const char* name, const char* member, std::uint32_t size, std::uint32_t least) {
    return fail(status::invalid, "{}: {} is {}; zero-fill the struct and set this member to its sizeof, {} or more",
                name, member, size, least);
}

[[gnu::cold]] inline error reserved_is_set(const char* name) {
    return fail(status::too_new, "{}: a reserved member is not 0", name);
}

inline bool all_zero(const unsigned char* bytes, std::size_t size) {
    return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

// Copies a caller's struct of `size` bytes into this library's layout.
template <class T>
result<T> read_bytes(const void* bytes, std::uint32_t size, const char* name) {
    const auto* given = static_cast<const unsigned char*>(bytes);
    if (size > sizeof(T) && !all_zero(given + sizeof(T), size - sizeof(T))) {
        return fail(status::too_new,
                    "{}: a member is set that this library does not know; the library is older than the header that "
                    "the caller was built with",
                    name);
    }
    T out{};
    std::memcpy(&out, given, std::min<std::size_t>(size, sizeof(T)));
    if constexpr (requires { out.reserved; }) {
        if (out.reserved != 0) return reserved_is_set(name);
    }
    return out;
}

// Returns the caller's memory if it can be used without a copy, which is usual; else nullptr.
template <class T>
const T* in_place(const void* bytes, std::uint32_t size) noexcept {
    if (size != sizeof(T) || reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) != 0) return nullptr;
    const T* out = static_cast<const T*>(bytes);
    if constexpr (requires { out->reserved; }) {
        if (out->reserved != 0) return nullptr;
    }
    return out;
}

template <class T>
[[gnu::cold]] result<const T*> read_into(T& buffer, const void* bytes, std::uint32_t size, const char* name) {
    result<T> copied = read_bytes<T>(bytes, size, name);
    if (!copied) return copied.take_failure();
    buffer = *copied;
    return &buffer;
}

// Returns a view of `input`, which has its size as first member, or of a copy in `buffer`.
template <class T>
result<const T*> view_struct(const T* input, const char* name, T& buffer) {
    if (input == nullptr) return fail(status::invalid, "{}: NULL", name);
    if (input->struct_size < first_release_bytes<T>) {
        return wrong_size(name, "struct_size", input->struct_size, first_release_bytes<T>);
    }
    if (const T* as_it_lies = in_place<T>(input, input->struct_size)) return as_it_lies;
    return read_into(buffer, input, input->struct_size, name);
}

template <class T>
result<T> read_struct(const T* input, const char* name) {
    if (input == nullptr) return fail(status::invalid, "{}: NULL", name);
    if (input->struct_size < first_release_bytes<T>) {
        return wrong_size(name, "struct_size", input->struct_size, first_release_bytes<T>);
    }
    return read_bytes<T>(input, input->struct_size, name);
}

template <class T>
bool is_writable(const T* out) noexcept {
    return out != nullptr && out->struct_size >= first_release_bytes<T>;
}
template <class T>
result<void> check_out(const T* out, const char* name) {
    if (is_writable(out)) return {};
    if (out == nullptr) return fail(status::invalid, "{}: NULL", name);
    return wrong_size(name, "struct_size", out->struct_size, first_release_bytes<T>);
}

// Writes the first `size` bytes of `value`.
template <class T>
void write_bytes(void* out, std::uint32_t size, T value) {
    value.struct_size = size;
    std::memcpy(out, &value, std::min<std::size_t>(size, sizeof(T)));
}

// Writes `value` to a struct with its size as first member.
template <class T>
void write_struct(T* out, const T& value) {
    write_bytes(out, out->struct_size, value);
}

// Checks an array of the caller: `count` elements of `size` bytes.
template <class T>
inline result<void> check_array(const T* first, std::uint32_t size, std::uint32_t count, const char* name) {
    if (count == 0) return {};
    if (first == nullptr) return fail(status::invalid, "{}: NULL, and its count is not 0", name);
    if (size < first_release_bytes<T>) return wrong_size(name, "the size of an element", size, first_release_bytes<T>);
    return {};
}

// Calls visit(element, index) for each element of such an array.
template <class T, class Visit>
result<void> for_each(const T* first, std::uint32_t size, std::uint32_t count, const char* name, Visit visit) {
    if (result<void> ok = check_array(first, size, count, name); !ok) return ok;
    const auto* at = reinterpret_cast<const unsigned char*>(first);
    T buffer;
    for (std::uint32_t i = 0; i < count; ++i, at += size) {
        const T* element = in_place<T>(at, size);
        if (element == nullptr) {
            const result<const T*> copied = read_into(buffer, at, size, name);
            if (!copied) return copied.failure();
            element = *copied;
        }
        if (result<void> done = visit(*element, i); !done) return done;
    }
    return {};
}

}  // namespace gputide::capi
