// The reader of each C type of a parameter from JavaScript's arguments, passed to C, and, where it is an output, given back.
//
//   int, double                  a number, or a bigint for the 64-bit ones
//   const char*, then int64_t    a string or a Uint8Array, and its size; null: NULL and 0
//   const char*                  the same up to its NUL
//   T* of a handle, const T*     its external; null: NULL
//   const S* of a struct         an object with C's member names, or an array of them; null: NULL
//   S* of a struct               a DataView or ArrayBuffer that C fills; null: NULL
//   const number*                a typed array; null: NULL
//   gputide_text*                false: NULL; else it comes back, null where nothing was written
//   T**, number*                 nothing: the handle, the number comes back
//   gputide_error*               nothing: a failure throws
#ifndef GPUTIDE_NODE_ARGUMENTS_HPP
#define GPUTIDE_NODE_ARGUMENTS_HPP

#include "environment.hpp"
#include "value.hpp"

#include <optional>
#include <type_traits>

namespace gputide_node {

// The arguments of one call, taken in their order.
struct reading {
    napi_env env;
    const napi_value* values;
    std::size_t count, next = 0;
    storage* kept = nullptr;

    napi_value take() {
        if (next >= count) return undefined_out(env);
        return values[next++];
    }
};

// Outputs in their order.
struct results {
    napi_env env;
    napi_value list[8];
    std::size_t count = 0;

    void add(napi_value value) { list[count++] = value; }
    napi_value all() const;
};

#define GPUTIDE_IS_HANDLE(TABLE, NAME) || std::is_same_v<Type, gputide_##NAME>
template <class Type>
constexpr bool is_handle = false GPUTIDE_HANDLES(GPUTIDE_IS_HANDLE);
#undef GPUTIDE_IS_HANDLE

// Calls without a result.
struct input {
    void give(results&) {}
};

template <class Type, class = void>
struct argument;  // of a type without one: the function cannot be called from JavaScript

#define GPUTIDE_SCALAR(TYPE, READ)                                                           \
    template <>                                                                              \
    struct argument<TYPE> : input {                                                          \
        TYPE value;                                                                          \
        explicit argument(reading& from) : value(READ(from.env, from.take(), "argument")) {} \
        TYPE pass() { return value; }                                                        \
    };
GPUTIDE_SCALAR(std::int32_t, int32_in)
GPUTIDE_SCALAR(std::uint32_t, uint32_in)
GPUTIDE_SCALAR(std::int64_t, int64_in)
GPUTIDE_SCALAR(std::uint64_t, uint64_in)
GPUTIDE_SCALAR(double, double_in)
#undef GPUTIDE_SCALAR

template <>
struct argument<const char*> : input {
    std::optional<std::string> text;

    argument(reading& from, bool sized) {
        const napi_value value = from.take();
        if (is_nothing(from.env, value)) return;
        text = sized ? text_in(from.env, value, "text") : terminated_in(from.env, value, "text");
    }
    const char* pass() { return text ? text->c_str() : nullptr; }
    std::int64_t size() const { return text ? static_cast<std::int64_t>(text->size()) : 0; }
};

// A text's size, which stands behind it.
struct text_size : input {
    std::int64_t value;

    explicit text_size(std::int64_t size) : value(size) {}
    std::int64_t pass() { return value; }
};

template <class Type>
struct argument<Type*, std::enable_if_t<is_handle<std::remove_const_t<Type>>>> : input {
    Type* pointer = nullptr;

    explicit argument(reading& from) { pointer = handle_in<std::remove_const_t<Type>>(from.env, from.take()); }
    Type* pass() { return pointer; }
};

template <class Type>
struct argument<Type**, std::enable_if_t<is_handle<Type>>> {
    Type* out = nullptr;

    explicit argument(reading&) {}
    Type** pass() { return &out; }
    void give(results& to) {
        to.add(out == nullptr ? null_out(to.env) : environment_of(to.env).handles.adopt(to.env, kind_of<Type>(), out));
    }
};

template <class Type>
constexpr bool is_struct = std::is_class_v<Type> && !is_handle<Type>;

template <class Type>
struct argument<const Type*, std::enable_if_t<is_struct<Type>>> : input {
    const Type* first = nullptr;

    explicit argument(reading& from) {
        const napi_value value = from.take();
        if (is_nothing(from.env, value)) return;
        bool is_array = false;
        demand(napi_is_array(from.env, value, &is_array));
        std::vector<Type> list;
        if (is_array) {
            list = structs_in<Type>(from.env, value, *from.kept);
        } else {
            list.push_back(struct_in<Type>(from.env, value, *from.kept));
        }
        first = from.kept->keep(std::move(list));
    }
    const Type* pass() { return first; }
};

template <class Type>
struct argument<Type*, std::enable_if_t<is_struct<Type> && !std::is_const_v<Type> &&
                                        !std::is_same_v<Type, gputide_text> && !std::is_same_v<Type, gputide_error>>>
    : input {
    Type* first = nullptr;

    explicit argument(reading& from) {
        const napi_value value = from.take();
        const bytes memory = memory_in(from.env, value, "memory");
        if (memory.data == nullptr) return;
        if (memory.size < sizeof(Type)) refuse_range("memory", "too small for the struct");
        first = static_cast<Type*>(memory.data);
        for (std::size_t index = 0; index < memory.size / sizeof(Type); ++index)
            first[index].struct_size = sizeof(Type);
        if constexpr (std::is_same_v<Type, gputide_decision>) {  // a record's reason, as a property beside the bytes
            first->message = nullptr;
            member_reader(from.env, value, *from.kept).text("message", first->message);
        }
    }
    Type* pass() { return first; }
};

template <class Number>
constexpr napi_typedarray_type array_type = napi_float64_array;
template <>
inline constexpr napi_typedarray_type array_type<std::int32_t> = napi_int32_array;
template <>
inline constexpr napi_typedarray_type array_type<std::int64_t> = napi_bigint64_array;
template <>
inline constexpr napi_typedarray_type array_type<std::uint64_t> = napi_biguint64_array;

template <class Number>
struct argument<const Number*, std::enable_if_t<std::is_arithmetic_v<Number> && !std::is_same_v<Number, char>>>
    : input {
    const Number* first = nullptr;

    explicit argument(reading& from) {
        first = static_cast<const Number*>(elements_in(from.env, from.take(), array_type<Number>, "numbers").data);
    }
    const Number* pass() { return first; }
};

inline napi_value number_out(napi_env env, std::int32_t value) { return int_out(env, value); }
inline napi_value number_out(napi_env env, std::uint32_t value) { return uint_out(env, value); }
inline napi_value number_out(napi_env env, std::int64_t value) { return int64_out(env, value); }
inline napi_value number_out(napi_env env, std::uint64_t value) { return uint64_out(env, value); }

template <class Number>
struct argument<Number*, std::enable_if_t<std::is_integral_v<Number> && !std::is_const_v<Number>>> {
    Number out = 0;

    explicit argument(reading&) {}
    Number* pass() { return &out; }
    void give(results& to) { to.add(number_out(to.env, out)); }
};

template <>
struct argument<gputide_text*> {
    gputide_text text{};
    bool wanted = true;

    explicit argument(reading& from) {
        napi_valuetype type = napi_undefined;
        const napi_value value = from.take();
        demand(napi_typeof(from.env, value, &type));
        if (type == napi_boolean) demand(napi_get_value_bool(from.env, value, &wanted));
    }
    argument(argument&& other) noexcept : text(std::exchange(other.text, {})), wanted(other.wanted) {}
    argument(const argument&) = delete;
    argument& operator=(const argument&) = delete;
    ~argument() {
        if (text.data != nullptr) table()->text_free(&text);
    }
    gputide_text* pass() { return wanted ? &text : nullptr; }
    void give(results& to) {
        to.add(text.data == nullptr ? null_out(to.env) : text_out(to.env, text.data, text.size_bytes));
    }
};

// One per thread, made once: on entry the library reads its size alone.
gputide_error& thread_error() noexcept;

template <>
struct argument<gputide_error*> : input {
    explicit argument(reading&) {}
    gputide_error* pass() { return &thread_error(); }
};

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_ARGUMENTS_HPP
