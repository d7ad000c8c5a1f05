// Expected bits: Go 1.26.8 on amd64, math.Exp2 and math.Pow.  Those of glibc differ in the last place for most of them.
#include "base/go_math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gputide {
namespace {

void expect_bits(double value, std::uint64_t bits, double x) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), bits) << "of " << x;
}

TEST(GoMath, Exp2ToTheLastBit) {
    struct point {
        double x;
        std::uint64_t bits;
    };
    for (const auto& [x, bits] :
         {point{0.0, 0x3ff0000000000000}, point{0.5, 0x3ff6a09e667f3bcc}, point{-0.5, 0x3fe6a09e667f3bcc},
          point{13.37, 0x40c4ad7a2967b264}, point{99.999, 0x462ffa52de61c101}, point{-73.25, 0x3b5ae89f995ad3ae},
          point{1023.9, 0x7feddb680117aa8e}, point{-1074.0, 0x1}, point{0.0416666666666667, 0x3ff078059f4155d1}})
        expect_bits(go_exp2(x), bits, x);
    EXPECT_EQ(go_exp2(1024.0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_exp2(-1075.0), 0.0);
    EXPECT_TRUE(std::isnan(go_exp2(std::nan(""))));
}

TEST(GoMath, PowOfAWholeExponentToTheLastBit) {
    struct point {
        double x, y;
        std::uint64_t bits;
    };
    for (const auto& [x, y, bits] :
         {point{1.05, 175, 0x40b3f28c0b1c2558}, point{1.05, 17, 0x4002560db3264e96},
          point{1.001, -2, 0x3fefefa3faa4d8d6}, point{3, 2, 0x4022000000000000}, point{-2.5, 3, 0xc02f400000000000},
          point{7.1, -5, 0x3f0d0f0fb37cbbcb}, point{2, 0.5, 0x3ff6a09e667f3bcd}, point{1.1, 1000, 0x4886aec8cd64ab4d},
          point{10, 308, 0x7fe1ccf385ebc8a3}, point{10, -320, 0x7e8}, point{0.7, 33, 0x3ee0368bafa68e57}})
        expect_bits(go_pow(x, y), bits, x);
    EXPECT_EQ(go_pow(2, 5000), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_pow(2, -5000), 0.0);
    EXPECT_EQ(go_pow(0, -1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_pow(0, 0), 1.0);
    EXPECT_TRUE(std::isnan(go_pow(-8, 1.0 / 3)));
}

}  // namespace
}  // namespace gputide
