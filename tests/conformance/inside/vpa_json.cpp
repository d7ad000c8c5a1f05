#include "inside/vpa_json.hpp"

#include <cmath>
#include <stdexcept>

namespace conformance {

using namespace gputide::rightsize;

namespace {

// The originals compute more buckets too; a histogram here has bounded memory.
constexpr double most_buckets = 100'000.0;

std::optional<layout> counted(layout layout, double buckets) {
    if (!(buckets <= most_buckets)) return std::nullopt;
    layout.count = static_cast<std::int32_t>(buckets);
    return layout;
}

bool is_above(double value, double bound) { return value > bound && std::isfinite(value); }

// ceil(max/width) + 1 buckets: max 5, width 0.3 → 18.
std::optional<layout> linear_layout(double max, double width, double epsilon) {
    if (!is_above(max, 0.0) || !is_above(width, 0.0) || !is_above(epsilon, 0.0)) return std::nullopt;
    return counted({width, 1.0, 0.0, epsilon, 0}, std::ceil(max / width) + 1.0);
}

// ceil(log_ratio(max*(ratio-1)/first + 1)) + 1 buckets: max 1e12, first 1e7, ratio 1.05 → 176.
std::optional<layout> exponential_layout(double max, double first, double ratio, double epsilon) {
    if (!is_above(max, 0.0) || !is_above(first, 0.0) || !is_above(ratio, 1.0) || !is_above(epsilon, 0.0))
        return std::nullopt;
    const double log_ratio = std::log(ratio);
    return counted({first, ratio, log_ratio, epsilon, 0},
                   std::ceil(std::log(max * (ratio - 1.0) / first + 1.0) / log_ratio) + 1.0);
}

}  // namespace

std::optional<layout> layout_of(const json& options) {
    if (options == "memory") return memory_layout;
    if (options == "cpu") return cpu_layout;
    if (options == "gpu_util") return utilization_layout;
    const auto number = [&](const char* name) { return options.at(name).get<double>(); };
    const std::string type = options.at("type").get<std::string>();
    if (type != "linear" && type != "exponential") throw std::invalid_argument("no such layout: " + type);
    if (type == "linear") return linear_layout(number("max"), number("bucket"), number("eps"));
    return exponential_layout(number("max"), number("first"), number("ratio"), number("eps"));
}

differences vpa_compared(const json& one, const json& got) {
    differences out;
    expect_equal(out, "answer", one.at("expect"), got, {.tolerance = one.value("tol", 1e-9), .subset = true});
    return out;
}

}  // namespace conformance
