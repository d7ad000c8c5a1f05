// A stable sort that is compiled once, not once per element type: std::stable_sort takes 2 to 4 kB for each comparison.
// For lists from a manifest, a response, a snapshot or a recording, which are usually sorted already.
#pragma once

#include "base/function_ref.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace gputide {

// Returns the positions 0 to count - 1 in sorted order; of equal elements the lower position first.
std::vector<std::size_t> stable_order(std::size_t count, function_ref<bool(std::size_t, std::size_t)> before);

template <class T, class Before = std::less<>>
void sort_stably(std::vector<T>& all, Before before = {}) {
    if (std::is_sorted(all.begin(), all.end(), before)) return;
    const auto by_position = [&](std::size_t a, std::size_t b) { return before(all[a], all[b]); };
    std::vector<T> sorted;
    sorted.reserve(all.size());
    for (const std::size_t position : stable_order(all.size(), by_position)) sorted.push_back(std::move(all[position]));
    all = std::move(sorted);
}

}  // namespace gputide
