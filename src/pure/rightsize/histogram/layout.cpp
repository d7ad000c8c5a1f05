#include "rightsize/histogram/layout.hpp"

#include "base/go_math.hpp"

#include <cmath>

namespace gputide::rightsize {

std::int32_t bucket_of(const layout& layout, double value) noexcept {
    if (value < (layout.grows() ? layout.width : 0.0)) return 0;
    const double at = layout.grows() ? std::log(value * (layout.ratio - 1.0) / layout.width + 1.0) / layout.log_ratio
                                     : value / layout.width;
    if (!(at < layout.count - 1)) return layout.count - 1;  // a double may not fit an integer
    return static_cast<std::int32_t>(at);
}

double start_of(const layout& layout, std::int32_t bucket) noexcept {
    if (!layout.grows()) return bucket * layout.width;
    if (bucket == 0) return 0.0;
    return layout.width * (go_pow(layout.ratio, bucket) - 1.0) / (layout.ratio - 1.0);
}

}  // namespace gputide::rightsize
