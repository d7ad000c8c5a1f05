// std::stable_sort whose code is there once, not once for each type that is sorted: for lists that a manifest, an answer or a
// recording holds, and that are in order already as a rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace gputide {

// The positions 0 to count - 1 in order; of two that are equal the lower one first.
std::vector<std::size_t> stable_order(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& before);

template <class T, class Before>
void sort_stably(std::vector<T>& all, Before before) {
    if (std::is_sorted(all.begin(), all.end(), before)) return;
    const auto by_position = [&](std::size_t a, std::size_t b) { return before(all[a], all[b]); };
    std::vector<T> sorted;
    sorted.reserve(all.size());
    for (const std::size_t position : stable_order(all.size(), by_position)) sorted.push_back(std::move(all[position]));
    all = std::move(sorted);
}

}  // namespace gputide
