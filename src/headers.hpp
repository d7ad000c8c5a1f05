// The standard headers that most modules include, compiled once (cmake/modules.cmake).  Each file still includes what it
// uses.
#include <string_view>

// A view of a literal is two constants.  Optimizing for size, g++ instead calls the constructor, which measures the
// literal at run time: 3,700 calls in the library, each with 17 bytes more.
#if defined(__GLIBCXX__) && defined(__OPTIMIZE_SIZE__) && !defined(__clang__)
template <>
[[gnu::always_inline, gnu::nonnull]] constexpr std::string_view::basic_string_view(const char* text) noexcept
    : basic_string_view(text, std::char_traits<char>::length(text)) {}
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// libstdc++ has std::string's members of C++17 compiled, but says so to C++17 alone: in C++20 each object would carry its own.
// Without optimization the few members that are new in C++20 would be looked for there, too.
#if defined(__GLIBCXX__) && defined(__OPTIMIZE__)
extern template class std::basic_string<char>;
extern template void std::string::_M_construct<const char*>(const char*, const char*, std::forward_iterator_tag);
extern template void std::string::_M_construct<char*>(char*, char*, std::forward_iterator_tag);
#endif
