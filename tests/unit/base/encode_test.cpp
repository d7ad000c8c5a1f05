// Base64 in its two alphabets, percent and form escapes.
#include "base/encode.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gputide {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
    EXPECT_EQ(base64url("\xfb\xff\xfe"), "-__-");
    EXPECT_EQ(base64url("f"), "Zg");
}

TEST(Base64, DecodesStandardTextWithBlanksInside) {
    EXPECT_EQ(decode_base64("Zm9v\r\nYmE=\n"), "fooba");
    EXPECT_EQ(decode_base64(" Z g = = "), "f");
    EXPECT_EQ(decode_base64(""), "");
    for (const char* bad :
         {"Zg", "Zg=", "Z", "Zg===", "====", "Z===", "Zm9v=", "Zg==Zg==", "Z=g=", "Zm-_", "Zm9!", "Zm9vY"}) {
        EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
    }
}

TEST(Base64, DecodesUrlTextAndNothingElse) {
    EXPECT_EQ(decode_base64url("-__-"), "\xfb\xff\xfe");
    EXPECT_EQ(decode_base64url("Zg"), "f");
    EXPECT_EQ(decode_base64url(""), "");
    for (const char* bad : {"Zg==", "+//+", "Zg\n", "Z", "Zm9vY", "Zm 9v", "Zm9v."}) {
        EXPECT_EQ(decode_base64url(bad), std::nullopt) << bad;
    }
}

TEST(Base64, ReadsBackWhatItWrote) {
    std::mt19937 random(3);
    for (std::size_t size = 0; size < 200; ++size) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random());
        EXPECT_EQ(decode_base64(base64(bytes)), bytes);
        EXPECT_EQ(decode_base64url(base64url(bytes)), bytes);
    }
}

TEST(Percent, EscapesAllButUnreserved) {
    EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
    EXPECT_EQ(percent_encode("a b+c/ä\n"), "a%20b%2Bc%2F%C3%A4%0A");
    EXPECT_EQ(percent_encode(std::string_view("\0", 1)), "%00");
    EXPECT_EQ(form_encode("sum(x{a=\"b c\"})"), "sum%28x%7Ba%3D%22b+c%22%7D%29");
}

TEST(Percent, Decodes) {
    EXPECT_EQ(percent_decode("a%20b%2bc%C3%a4", false), "a b+cä");
    EXPECT_EQ(percent_decode("a+b", false), "a+b");
    EXPECT_EQ(percent_decode("a+b%2B", true), "a b+");
    for (const char* bad : {"%", "%2", "a%2", "%zz", "%2g", "%-1", "% 1"}) {
        EXPECT_EQ(percent_decode(bad, false), std::nullopt) << bad;
    }
}

TEST(Percent, ReadsBackEveryByte) {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    EXPECT_EQ(percent_decode(percent_encode(all), false), all);
    EXPECT_EQ(percent_decode(form_encode(all), true), all);
}

TEST(Hex, IsReadInEitherCaseAndWrittenInLower) {
    EXPECT_EQ(hex_byte("fF"), 0xFF);
    EXPECT_EQ(hex_byte("0axx"), 0x0A);
    EXPECT_EQ(hex_byte("1"), std::nullopt);
    EXPECT_EQ(hex_byte("g0"), std::nullopt);
    std::string out = "x";
    append_hex(out, 0xA5);
    EXPECT_EQ(out, "xa5");
}

}  // namespace
}  // namespace gputide
