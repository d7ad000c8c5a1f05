#include "base/go_math.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace gputide {
namespace {

// Returns e^(hi - lo) * 2^k for |hi - lo| <= ln(2) / 2.  The coefficients are those of Sun's fdlibm (e_exp.c).
double scaled_exp(double hi, double lo, int k) noexcept {
    constexpr double p1 = 1.66666666666666657415e-01, p2 = -2.77777777770155933842e-03, p3 = 6.61375632143793436117e-05,
                     p4 = -1.65339022054652515390e-06, p5 = 4.13813679705723846039e-08;
    const double r = hi - lo;
    const double square = r * r;
    const double c = r - square * (p1 + square * (p2 + square * (p3 + square * (p4 + square * p5))));
    return std::ldexp(1.0 - ((lo - (r * c) / (2.0 - c)) - hi), k);
}

// Returns x^count by squaring, with a separate binary exponent; count > 0.
double whole_power(double x, std::uint64_t count, bool inverse) noexcept {
    constexpr int far = 1 << 12;  // larger than every exponent of a double
    double product = 1.0;
    int exponent = 0;
    int step = 0;
    double factor = std::frexp(x, &step);
    for (; count != 0; count >>= 1U) {
        if (step < -far || step > far) {
            exponent += step;
            break;
        }
        if ((count & 1U) != 0) {
            product *= factor;
            exponent += step;
        }
        factor *= factor;
        step *= 2;
        if (factor < 0.5) {
            factor += factor;
            --step;
        }
    }
    return inverse ? std::ldexp(1.0 / product, -exponent) : std::ldexp(product, exponent);
}

}  // namespace

double go_exp2(double x) noexcept {
    constexpr double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
    if (std::isnan(x)) return x;
    if (x > 1.0239999999999999e+03) return std::numeric_limits<double>::infinity();
    if (x < -1.0740e+03) return 0.0;
    int k = 0;
    if (x > 0) k = static_cast<int>(x + 0.5);  // NOLINT(bugprone-incorrect-roundings): as in Go
    if (x < 0) k = static_cast<int>(x - 0.5);
    const double rest = x - k;
    return scaled_exp(rest * ln2_hi, -rest * ln2_lo, k);
}

double go_pow(double x, double y) noexcept {
    constexpr double past_int64 = 9223372036854775808.0;
    const double size = std::abs(y);
    if (!std::isfinite(x) || x == 0.0 || x == 1.0 || y == 0.0 || y == 1.0 || !(size < past_int64))
        return std::pow(x, y);
    if (size == 0.5) return y > 0 ? std::sqrt(x) : 1.0 / std::sqrt(x);
    if (size != std::floor(size)) return std::pow(x, y);
    return whole_power(x, static_cast<std::uint64_t>(size), y < 0);
}

}  // namespace gputide
