#include "base/stable_order.hpp"

#include <numeric>

namespace gputide {

std::vector<std::size_t> stable_order(std::size_t count, function_ref<bool(std::size_t, std::size_t)> before) {
    std::vector<std::size_t> out(count);
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&before](std::size_t a, std::size_t b) { return before(a, b); });
    return out;
}

}  // namespace gputide
