// Values of JavaScript and of C++: what every part of the addon needs of Node-API.
#ifndef GPUTIDE_NODE_VALUE_HPP
#define GPUTIDE_NODE_VALUE_HPP

#include "abi.hpp"

#include <cstdint>
#include <forward_list>
#include <memory>
#include <node_api.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// ---- objects of JavaScript with C's member names as C structs, and a filled gputide_error as such an object.

// The memory that structs point at, kept until the call has returned.
class storage {
  public:
    const std::string& keep(std::string text) { return texts_.emplace_front(std::move(text)); }

    template <class Element>
    const Element* keep(std::vector<Element> list) {
        auto kept = std::make_shared<std::vector<Element>>(std::move(list));
        lists_.push_back(kept);
        return kept->data();
    }

  private:
    std::forward_list<std::string> texts_;  // an empty one has allocated nothing
    std::vector<std::shared_ptr<void>> lists_;
};

// Fills a struct's members from an object's properties; what is absent, undefined or null stays 0.
class member_reader {
  public:
    member_reader(napi_env env, napi_value object, storage& kept) : env_(env), object_(object), kept_(kept) {}

    void operator()(const char* name, std::int32_t& member) { take(name, member, &int32_in); }
    void operator()(const char* name, std::uint32_t& member) { take(name, member, &uint32_in); }
    void operator()(const char* name, std::int64_t& member) { take(name, member, &int64_in); }
    void operator()(const char* name, std::uint64_t& member) { take(name, member, &uint64_in); }
    void operator()(const char* name, double& member) { take(name, member, &double_in); }

    void text(const char* name, const char*& member) {
        if (find(name)) member = kept_.keep(terminated_in(env_, found_, name)).c_str();
    }
    void text(const char* name, const char*& member, std::int64_t& size) {
        if (!find(name)) return;
        const std::string& text = kept_.keep(text_in(env_, found_, name));
        member = text.c_str();
        size = static_cast<std::int64_t>(text.size());
    }

    template <class Element>
    void array(const char* name, const Element*& member, std::uint32_t& count, std::uint32_t& element_size);

  private:
    bool find(const char* name) {
        demand(napi_get_named_property(env_, object_, name, &found_));
        return !is_nothing(env_, found_);
    }

    template <class Number>
    void take(const char* name, Number& member, Number (*read)(napi_env, napi_value, const char*)) {
        if (find(name)) member = read(env_, found_, name);
    }

    napi_env env_;
    napi_value object_, found_ = nullptr;
    storage& kept_;
};

template <class Struct>
Struct struct_in(napi_env env, napi_value object, storage& kept) {
    Struct out{};
    member_reader reader(env, object, kept);
    members(out, reader);
    return out;
}

template <class Struct>
std::vector<Struct> structs_in(napi_env env, napi_value list, storage& kept) {
    std::uint32_t count = 0;
    demand(napi_get_array_length(env, list, &count));
    std::vector<Struct> out;
    out.reserve(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        napi_value element = nullptr;
        demand(napi_get_element(env, list, index, &element));
        out.push_back(struct_in<Struct>(env, element, kept));
    }
    return out;
}

template <class Element>
void member_reader::array(const char* name, const Element*& member, std::uint32_t& count, std::uint32_t& element_size) {
    if (!find(name)) return;
    std::vector<Element> list = structs_in<Element>(env_, found_, kept_);
    count = static_cast<std::uint32_t>(list.size());
    element_size = sizeof(Element);
    member = kept_.keep(std::move(list));
}

// {status, action, …, message, detail}
napi_value error_out(napi_env env, gputide_error error);

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_VALUE_HPP
