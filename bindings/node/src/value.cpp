#include "value.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <new>

namespace gputide_node {
namespace {

constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;

// A lone surrogate becomes U+FFFD in UTF-8; a text that has that character on its own account is fine.
bool has_lone_surrogate(napi_env env, napi_value value) {
    std::size_t size = 0;
    demand(napi_get_value_string_utf16(env, value, nullptr, 0, &size));
    std::u16string units(size + 1, u'\0');
    demand(napi_get_value_string_utf16(env, value, units.data(), units.size(), &size));
    for (std::size_t i = 0; i < size; ++i) {
        const bool high = units[i] >= 0xD800 && units[i] <= 0xDBFF;
        const bool low = units[i] >= 0xDC00 && units[i] <= 0xDFFF;
        const bool pair = high && i + 1 < size && units[i + 1] >= 0xDC00 && units[i + 1] <= 0xDFFF;
        if (low || (high && !pair)) return true;
        i += pair ? 1U : 0U;
    }
    return false;
}

bool is_bigint(napi_env env, napi_value value) {
    napi_valuetype type = napi_undefined;
    demand(napi_typeof(env, value, &type));
    return type == napi_bigint;
}

// The whole number in a double, which lies within [low, high].
double whole_in(napi_env env, napi_value value, double low, double high, const char* what) {
    double number = 0;
    if (napi_get_value_double(env, value, &number) != napi_ok) refuse_type(what, "a whole number");
    if (!(number >= low && number <= high) || number != std::floor(number)) {
        std::string shown = std::to_string(number);
        if (const auto dot = shown.find(".000000"); dot != std::string::npos) shown.erase(dot);
        refuse_range(what, shown + " is not a whole number from " + std::to_string(static_cast<std::int64_t>(low)) +
                               " to " + std::to_string(static_cast<std::int64_t>(high)));
    }
    return number;
}

}  // namespace

void refuse_type(const std::string& what, const char* expected) {
    throw refusal{true, "ERR_INVALID_ARG_TYPE", what + ": expected " + expected};
}

void refuse_value(const std::string& what, const std::string& why) {
    throw refusal{true, "ERR_INVALID_ARG_VALUE", what + ": " + why};
}

void refuse_range(const std::string& what, const std::string& why) {
    throw refusal{false, "ERR_OUT_OF_RANGE", what + ": " + why};
}

napi_value throw_current(napi_env env) noexcept {
    try {
        throw;
    } catch (const refusal& refused) {
        (refused.wrong_type ? napi_throw_type_error : napi_throw_range_error)(env, refused.code,
                                                                              refused.message.c_str());
    } catch (const pending_exception&) {
        bool pending = false;
        napi_is_exception_pending(env, &pending);
        if (!pending) napi_throw_error(env, "ERR_GPUTIDE_NODE_API", "a call of Node-API failed");
    } catch (const std::bad_alloc&) {
        napi_throw_range_error(env, "ERR_MEMORY_ALLOCATION_FAILED", "memory ran out");
    } catch (const std::exception& problem) {
        napi_throw_error(env, "ERR_GPUTIDE_ADDON", problem.what());
    } catch (...) {
        napi_throw_error(env, "ERR_GPUTIDE_ADDON", "an unknown failure");
    }
    return nullptr;
}

std::string text_in(napi_env env, napi_value value, const char* what) {
    std::size_t size = 0;
    if (napi_get_value_string_utf8(env, value, nullptr, 0, &size) == napi_ok) {
        std::string text(size + 1, '\0');
        demand(napi_get_value_string_utf8(env, value, text.data(), text.size(), &size));
        text.resize(size);
        if (text.find("\xEF\xBF\xBD") != std::string::npos && has_lone_surrogate(env, value)) {
            refuse_value(what, "a lone surrogate, which UTF-8 cannot say");
        }
        return text;
    }
    bool is_array = false;
    demand(napi_is_typedarray(env, value, &is_array));
    if (!is_array) refuse_type(what, "a string or a Uint8Array");
    const bytes raw = elements_in(env, value, napi_uint8_array, what);
    return {static_cast<const char*>(raw.data), raw.size};
}

std::string terminated_in(napi_env env, napi_value value, const char* what) {
    std::string text = text_in(env, value, what);
    if (text.find('\0') != std::string::npos) refuse_value(what, "a NUL character, where C would end the text");
    return text;
}

std::int32_t int32_in(napi_env env, napi_value value, const char* what) {
    using limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(whole_in(env, value, limits::min(), limits::max(), what));
}

std::uint32_t uint32_in(napi_env env, napi_value value, const char* what) {
    return static_cast<std::uint32_t>(whole_in(env, value, 0, std::numeric_limits<std::uint32_t>::max(), what));
}

std::int64_t int64_in(napi_env env, napi_value value, const char* what) {
    std::int64_t wide = 0;
    bool exact = false;
    if (!is_bigint(env, value))
        return static_cast<std::int64_t>(whole_in(env, value, -exact_in_double, exact_in_double, what));
    demand(napi_get_value_bigint_int64(env, value, &wide, &exact));
    if (!exact) refuse_range(what, "a bigint beyond 64 bits");
    return wide;
}

std::uint64_t uint64_in(napi_env env, napi_value value, const char* what) {
    std::uint64_t wide = 0;
    bool exact = false;
    if (!is_bigint(env, value)) return static_cast<std::uint64_t>(whole_in(env, value, 0, exact_in_double, what));
    demand(napi_get_value_bigint_uint64(env, value, &wide, &exact));
    if (!exact) refuse_range(what, "a bigint beyond 64 bits without a sign");
    return wide;
}

double double_in(napi_env env, napi_value value, const char* what) {
    double number = 0;
    if (napi_get_value_double(env, value, &number) != napi_ok) refuse_type(what, "a number");
    return number;
}

bool is_nothing(napi_env env, napi_value value) {
    napi_valuetype type = napi_undefined;
    demand(napi_typeof(env, value, &type));
    return type == napi_undefined || type == napi_null;
}

bytes memory_in(napi_env env, napi_value value, const char* what) {
    bytes out{};
    if (napi_get_dataview_info(env, value, &out.size, &out.data, nullptr, nullptr) == napi_ok) return out;
    if (napi_get_arraybuffer_info(env, value, &out.data, &out.size) == napi_ok || is_nothing(env, value)) return out;
    refuse_type(what, "a DataView or an ArrayBuffer");
}

bytes elements_in(napi_env env, napi_value value, napi_typedarray_type type, const char* what) {
    bytes out{};
    napi_typedarray_type found{};
    if (napi_get_typedarray_info(env, value, &found, &out.size, &out.data, nullptr, nullptr) == napi_ok) {
        if (found != type) refuse_type(what, "a typed array of another kind");
    } else if (!is_nothing(env, value)) {
        refuse_type(what, "a typed array");
    }
    return out;
}

napi_value text_out(napi_env env, const char* data, std::size_t size) {
    napi_value out = nullptr;
    demand(napi_create_string_utf8(env, data, size, &out));
    return out;
}

napi_value text_out(napi_env env, const char* text) {
    return text == nullptr ? null_out(env) : text_out(env, text, NAPI_AUTO_LENGTH);
}

napi_value int_out(napi_env env, std::int32_t value) {
    napi_value out = nullptr;
    demand(napi_create_int32(env, value, &out));
    return out;
}

napi_value uint_out(napi_env env, std::uint32_t value) {
    napi_value out = nullptr;
    demand(napi_create_uint32(env, value, &out));
    return out;
}

napi_value int64_out(napi_env env, std::int64_t value) {
    napi_value out = nullptr;
    const bool exact = value >= -exact_in_double && value <= exact_in_double;
    demand(exact ? napi_create_int64(env, value, &out) : napi_create_bigint_int64(env, value, &out));
    return out;
}

napi_value uint64_out(napi_env env, std::uint64_t value) {
    napi_value out = nullptr;
    const bool exact = value <= static_cast<std::uint64_t>(exact_in_double);
    demand(exact ? napi_create_int64(env, static_cast<std::int64_t>(value), &out)
                 : napi_create_bigint_uint64(env, value, &out));
    return out;
}

napi_value null_out(napi_env env) {
    napi_value out = nullptr;
    demand(napi_get_null(env, &out));
    return out;
}

napi_value undefined_out(napi_env env) {
    napi_value out = nullptr;
    demand(napi_get_undefined(env, &out));
    return out;
}

namespace {

class member_writer {
  public:
    explicit member_writer(napi_env env) : env_(env) { demand(napi_create_object(env, &object)); }

    void operator()(const char* name, const std::int32_t& member) { put(name, int_out(env_, member)); }
    void operator()(const char* name, const std::int64_t& member) { put(name, int64_out(env_, member)); }

    template <std::size_t Size>
    void operator()(const char* name, const char (&member)[Size]) {
        put(name, text_out(env_, member));
    }

    napi_value object = nullptr;

  private:
    void put(const char* name, napi_value value) { demand(napi_set_named_property(env_, object, name, value)); }

    napi_env env_;
};

}  // namespace

napi_value error_out(napi_env env, gputide_error error) {
    member_writer writer(env);
    members(error, writer);
    return writer.object;
}

}  // namespace gputide_node
