// When the samples of this module's tests begin.
#pragma once

#include <cstdint>

inline constexpr std::int64_t start_ms = 1'763'683'200'000;  // 2025-11-21
inline constexpr std::int64_t minute_ms = 60'000;
