// The numbers of gputide.h are those of the rooms: static_assert(same(GPUTIDE_OK, status::ok)).  A change on one side alone
// does not build.
#pragma once

#include <cstdint>

namespace gputide::capi {

template <class Enum>
constexpr bool same(std::int64_t c, Enum cpp) {
    return c == static_cast<std::int64_t>(cpp);
}

}  // namespace gputide::capi
