// Counts how often and how much this program has allocated, the libraries in it included.
#pragma once

#include <cstdint>

namespace gputide::bench {

struct allocated {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};

allocated so_far() noexcept;

}  // namespace gputide::bench
