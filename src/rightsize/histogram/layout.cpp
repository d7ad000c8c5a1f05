#include "rightsize/histogram/layout.hpp"

#include "base/text.hpp"

#include <cmath>

namespace gputide::rightsize {
namespace {

error refused(const char* name, double value, const char* expected) {
    return fail_at(status::invalid, "histogram",
                   std::string(name) + ": expected " + expected + ", got " + shortest(value));
}

result<void> positive(const char* name, double value) {
    if (value > 0.0 && std::isfinite(value)) return {};
    return refused(name, value, "a number above 0");
}

result<layout> counted(layout layout, double buckets) {
    if (!(buckets <= most_buckets)) return refused("buckets", buckets, "no more than 100000 of them");
    layout.count = static_cast<std::int32_t>(buckets);
    return layout;
}

}  // namespace

result<layout> linear_layout(double max, double width, double epsilon) {
    if (result<void> ok = positive("max", max); !ok) return std::move(ok).failure();
    if (result<void> ok = positive("bucket", width); !ok) return std::move(ok).failure();
    if (result<void> ok = positive("epsilon", epsilon); !ok) return std::move(ok).failure();
    return counted({width, 1.0, 0.0, epsilon, 0}, std::ceil(max / width) + 1.0);
}

result<layout> exponential_layout(double max, double first, double ratio, double epsilon) {
    if (result<void> ok = positive("max", max); !ok) return std::move(ok).failure();
    if (result<void> ok = positive("first", first); !ok) return std::move(ok).failure();
    if (result<void> ok = positive("epsilon", epsilon); !ok) return std::move(ok).failure();
    if (!(ratio > 1.0) || !std::isfinite(ratio)) return refused("ratio", ratio, "a number above 1");
    const double log_ratio = std::log(ratio);
    return counted({first, ratio, log_ratio, epsilon, 0},
                   std::ceil(std::log(max * (ratio - 1.0) / first + 1.0) / log_ratio) + 1.0);
}

std::int32_t bucket_of(const layout& layout, double value) noexcept {
    if (value < (layout.grows() ? layout.width : 0.0)) return 0;
    const double at = layout.grows() ? std::log(value * (layout.ratio - 1.0) / layout.width + 1.0) / layout.log_ratio
                                     : value / layout.width;
    if (!(at < layout.count - 1)) return layout.count - 1;  // as a double it may not fit an integer
    return static_cast<std::int32_t>(at);
}

double start_of(const layout& layout, std::int32_t bucket) noexcept {
    if (!layout.grows()) return bucket * layout.width;
    if (bucket == 0) return 0.0;
    return layout.width * (std::pow(layout.ratio, bucket) - 1.0) / (layout.ratio - 1.0);
}

}  // namespace gputide::rightsize
