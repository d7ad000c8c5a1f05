// The synthetic loads of docs/forecast.md: a value a minute from 2024-01-01T00:00Z on, the same bits on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace forecast_series {

inline constexpr std::int64_t start_ms = 1'704'067'200'000;
inline constexpr std::int64_t minutes_a_day = 1440;

// splitmix64 (Steele, Lea, Flood 2014), 53 bits of it: 0 <= u < 1.
inline double uniform(std::uint64_t number) {
    std::uint64_t z = number + 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    return static_cast<double>(z >> 11U) * 0x1p-53;
}

// Mean 0, variance 1, nearly normal: the sum of four.
inline double noise(std::int64_t minute) {
    const auto first = static_cast<std::uint64_t>(minute) * 4;
    const double sum = uniform(first) + uniform(first + 1) + uniform(first + 2) + uniform(first + 3);
    return std::sqrt(3.0) * (sum - 2);
}

// 20 at night, 100 by day, with ramps from 08:00 to 09:30 and from 17:00 to 19:00; weekends at 0.4 of it.
inline double office_at(std::int64_t minute, bool weekend) {
    const auto of_day = static_cast<double>(minute % minutes_a_day);
    const double up = std::clamp((of_day - 480) / 90, 0.0, 1.0);
    const double down = std::clamp((of_day - 1020) / 120, 0.0, 1.0);
    return (20 + 80 * (up - down)) * (weekend ? 0.4 : 1.0);
}

inline bool is_weekend(std::int64_t day) { return day % 7 >= 5; }

inline std::vector<double> office(std::int64_t days = 21) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < days * minutes_a_day; ++k) {
        out.push_back(office_at(k, is_weekend(k / minutes_a_day)) * (1 + 0.04 * noise(k)));
    }
    return out;
}

// A job of twelve minutes at the start of the hours 6 to 21.
inline std::vector<double> batch(std::int64_t days = 14) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < days * minutes_a_day; ++k) {
        const std::int64_t hour = k % minutes_a_day / 60;
        const bool works = hour >= 6 && hour <= 21 && k % 60 <= 11;
        out.push_back((works ? 100 : 30) * (1 + 0.04 * noise(k)));
    }
    return out;
}

// No pattern at all.
inline std::vector<double> random(std::int64_t days = 14) {
    std::vector<double> out;
    double x = 60;
    for (std::int64_t k = 0; k < days * minutes_a_day; ++k) {
        x = std::clamp(x + 0.6 * noise(k), 20.0, 120.0);
        out.push_back(x);
    }
    return out;
}

// Office with a holiday, another time zone from day 14 on, and a morning without a value (NaN).
inline std::vector<double> shift(std::int64_t days = 28) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < days * minutes_a_day; ++k) {
        const std::int64_t at = k >= 14 * minutes_a_day ? k + 60 : k;
        const std::int64_t day = at / minutes_a_day;
        const bool weekend = is_weekend(day) || day == 10;
        const bool missing = k >= 17 * minutes_a_day + 540 && k < 17 * minutes_a_day + 720;
        out.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                              : office_at(at, weekend) * (1 + 0.04 * noise(k)));
    }
    return out;
}

}  // namespace forecast_series
