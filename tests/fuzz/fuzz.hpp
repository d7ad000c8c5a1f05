// Helpers that the fuzz targets share: their table, and the checks of their subjects.
#pragma once

#include "base/result.hpp"
#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace gputide::fuzz {

// Adds a target to the table: run() reads arbitrary bytes, and must neither crash nor hang.
struct registration {
    registration(std::string_view target, int (*run_target)(const std::uint8_t* bytes, std::size_t size));

    std::string_view name;
    int (*run)(const std::uint8_t* bytes, std::size_t size);
    const registration* next;
};

inline void require(bool holds) {
    if (!holds) std::abort();
}

inline void require_reason(const error& why) {
    require(why.status != status::ok && !why.message.empty() && valid_utf8(why.message));
}

// Requires a value, or a readable reason.
template <class Outcome>
void require_reason(const Outcome& outcome) {
    if (!outcome) require_reason(outcome.failure());
}

// Chooses a way to read an input by its size: an execution is short, and inputs of the next size come soon.
template <class Way, std::size_t Count>
Way one_of(const Way (&ways)[Count], std::size_t size) {
    return ways[size % Count];
}

}  // namespace gputide::fuzz
