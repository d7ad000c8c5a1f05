// A forecast driven as a loop drives it: a pass every so often, a size at once, no start-up time.
#pragma once

#include "forecast/forecast.hpp"
#include "forecast/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace gputide::forecast::drive {

inline constexpr std::int64_t start_ms = 1'704'067'200'000;  // 2024-01-01T00:00Z, a Monday
inline constexpr std::int64_t minute_ms = 60'000;

struct pass {
    std::int32_t reactive = 0;
    floor_result floor;
};

struct driven {
    gputide::forecast::settings settings;
    gputide::forecast::memory memory;
    double target = 5.0;
    std::int32_t max = 1'000'000;
    double extra = 0.0;  // replica-slots
    double shadow = 0.0;
    std::int32_t largest_shadow = 0;

    pass step(std::int64_t now_ms, double load) {
        read(memory, settings, now_ms, load);
        pass out;
        out.reactive = std::isnan(load) ? 1 : std::clamp(static_cast<std::int32_t>(std::ceil(load / target)), 1, max);
        out.floor = floor_of({memory.floor_load, state_of(memory, settings), target, out.reactive, out.reactive, max},
                             settings);
        book(memory, out.floor.replicas, out.reactive);
        extra += out.floor.replicas - out.reactive;
        shadow += out.reactive;
        largest_shadow = std::max(largest_shadow, out.reactive);
        return out;
    }
};

}  // namespace gputide::forecast::drive
