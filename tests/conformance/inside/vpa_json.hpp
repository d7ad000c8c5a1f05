// What the checkers of vpa-recommend share: layouts, times and how answers are compared.
#pragma once

#include "frame/check.hpp"
#include "rightsize/histogram.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

namespace conformance {

// "memory", "cpu", "gpu_util" or an object; nothing where it has no buckets.
std::optional<gputide::rightsize::layout> layout_of(const json& options);

inline std::int64_t ms_of(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }
inline std::int64_t ms_of(const json& object, const char* name, std::int64_t otherwise_s) {
    return ms_of(object.value(name, json(otherwise_s)));
}

// With the case's own tolerance; of an expected object, the members that it names.
differences vpa_compared(const json& one, const json& got);

}  // namespace conformance
