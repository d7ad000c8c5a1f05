// Random numbers from a fixed seed, the same on every machine of one C++ library.
#pragma once

#include <cstdint>
#include <random>

namespace gputide::decide {

class dice {
  public:
    explicit dice(std::uint32_t seed) : engine_(seed) {}
    std::int32_t between(std::int32_t low, std::int32_t high) {
        return std::uniform_int_distribution<std::int32_t>(low, high)(engine_);
    }
    bool one_in(std::int32_t n) { return between(1, n) == 1; }
    double number(double high) { return std::uniform_real_distribution<double>(0.0, high)(engine_); }

  private:
    std::mt19937 engine_;
};

}  // namespace gputide::decide
