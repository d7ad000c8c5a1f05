// Trimming, splitting, quoting, UTF-8 and "did you mean".
#include "base/text.hpp"

#include "base/encode.hpp"
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gputide {
namespace {

using pieces = std::vector<std::string_view>;

TEST(Trim, TakesAsciiBlanksFromBothEnds) {
    EXPECT_EQ(trim(" \t\r\n a b \n"), "a b");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_EQ(trim("\xC2\xA0x"), "\xC2\xA0x") << "a no-break space is not an ASCII blank";
}

TEST(Split, KeepsEmptyPiecesAsGoDoes) {
    EXPECT_EQ(split("a, b", ','), (pieces{"a", " b"}));
    EXPECT_EQ(split("", ','), (pieces{""}));
    EXPECT_EQ(split(",a,", ','), (pieces{"", "a", ""}));
}

TEST(Case, IsIgnoredForAsciiAlone) {
    EXPECT_EQ(lower("AbÄZ"), "abÄz");
    EXPECT_TRUE(equal_ignoring_case("Retry-After", "retry-aFTER"));
    EXPECT_FALSE(equal_ignoring_case("Retry-After", "Retry-Afte"));
    EXPECT_FALSE(equal_ignoring_case("@", "`")) << "32 apart, but not letters";
    EXPECT_TRUE(starts_with_ignoring_case("Bearer x", "bearer "));
    EXPECT_FALSE(starts_with_ignoring_case("Bear", "bearer"));
}

TEST(Quoted, ShowsWhatCannotBeSeen) {
    EXPECT_EQ(in_quotes("x"), "\"x\"");
    EXPECT_EQ(in_quotes("a\"\\\n\r\t"), "\"a\\\"\\\\\\n\\r\\t\"");
    EXPECT_EQ(in_quotes(std::string_view("\0\x1b\x7f", 3)), "\"\\x00\\x1b\\x7f\"");
    EXPECT_EQ(in_quotes("\xff"), "\"\\xff\"");
    EXPECT_EQ(in_quotes("\xc2\x9b"), "\"\\u009b\"") << "a terminal takes U+009B for ESC [";
    EXPECT_EQ(in_quotes("ä€😀"), "\"ä€😀\"");
}

TEST(Quoted, CutsLongTextOnACharacter) {
    EXPECT_EQ(in_quotes("abcdef", 3), "\"abc…\"");
    EXPECT_EQ(in_quotes("abc", 3), "\"abc\"");
    EXPECT_EQ(in_quotes("a€b", 3), "\"a…\"") << "€ has three bytes and is not cut in two";
    EXPECT_EQ(gputide::in_quotes(std::string(200, 'x')), "\"" + std::string(120, 'x') + "…\"");
}

TEST(CutUtf8, NeverEndsInsideASequence) {
    const std::string text = "a€😀b";
    for (std::size_t max_bytes = 0; max_bytes <= text.size() + 1; ++max_bytes) {
        const std::string_view cut = cut_utf8(text, max_bytes);
        EXPECT_LE(cut.size(), max_bytes);
        EXPECT_TRUE(valid_utf8(cut)) << max_bytes;
        EXPECT_EQ(text.substr(0, cut.size()), cut);
    }
    EXPECT_EQ(cut_utf8("€", 2), "");
    EXPECT_EQ(cut_utf8(std::string(10, '\x80'), 6).size(), 6U) << "not UTF-8: any cut is as good";
}

TEST(Utf8, FollowsRfc3629) {
    EXPECT_EQ(utf8_sequence_size(""), 0U);
    EXPECT_EQ(utf8_sequence_size(std::string_view("\0", 1)), 1U);
    EXPECT_EQ(utf8_sequence_size("\x7f"), 1U);
    EXPECT_EQ(utf8_sequence_size("\xc2\x80"), 2U);
    EXPECT_EQ(utf8_sequence_size("\xe0\xa0\x80"), 3U);
    EXPECT_EQ(utf8_sequence_size("\xed\x9f\xbf"), 3U);
    EXPECT_EQ(utf8_sequence_size("\xf0\x90\x80\x80"), 4U);
    EXPECT_EQ(utf8_sequence_size("\xf4\x8f\xbf\xbf"), 4U);
}

TEST(Utf8, RefusesWhatIsNotUtf8) {
    for (const char* bad : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x20", "\xe0\x9f\xbf", "\xe2\x82",
                            "\xe2\x82\x41", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98",
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff"}) {
        EXPECT_EQ(utf8_sequence_size(bad), 0U) << in_quotes(bad);
        EXPECT_FALSE(valid_utf8(std::string("ok ") + bad)) << in_quotes(bad);
    }
    EXPECT_TRUE(valid_utf8("plain, ä, €, 😀"));
    for (std::size_t at = 0; at < 20; ++at) {  // wherever it stands beside the eight bytes that are looked at together
        std::string text(20, 'a');
        text[at] = '\xff';
        EXPECT_FALSE(valid_utf8(text)) << at;
        EXPECT_TRUE(valid_utf8(text.replace(at, 1, "€"))) << at;
    }
    EXPECT_TRUE(valid_utf8(""));
}

TEST(Nearest, FindsTheWordThatWasMeant) {
    const pieces keys{"threshold", "serverAddress", "query", "activationThreshold"};
    EXPECT_EQ(nearest("treshold", keys), "threshold");
    EXPECT_EQ(nearest("serverAdress", keys), "serverAddress");
    EXPECT_EQ(nearest("qurey", keys), "query") << "a swap of neighbors counts 1";
    EXPECT_EQ(nearest("query", keys), "query");
    EXPECT_EQ(nearest("ignoreNullValues", keys), "");
    EXPECT_EQ(nearest("xx", keys), "");
    EXPECT_EQ(nearest("", keys), "");
    EXPECT_EQ(nearest("abc", {}), "");
}

TEST(Nearest, TakesTheNearerAndThenTheEarlier) {
    EXPECT_EQ(nearest("abcdef", {"abcxyf", "abcdxf"}), "abcdxf");
    EXPECT_EQ(nearest("abcdef", {"abcdeX", "abcdeY"}), "abcdeX");
}

TEST(Nearest, IsBoundedOnHostileInput) {
    const std::string huge(1'000'000, 'a');
    EXPECT_EQ(nearest(huge, {"threshold"}), "");
    EXPECT_EQ(nearest("threshold", {huge}), "");
}

}  // namespace

// Foreign text, made fit for a terminal and a log.

namespace {

TEST(PlainLine, KeepsLettersOfEveryScript) {
    for (const char* text : {"", "a", "plain", "größe 100 %", "日本語", "\xF0\x9F\x9A\x80", "a\xC2\xA0z"}) {
        EXPECT_EQ(plain_line(text), text);
    }
}

TEST(PlainLine, ControlsBecomeBlanks) {
    EXPECT_EQ(plain_line("a\x1B[2Jb\nc\rd\te\x7F"
                         "f"),
              "a [2Jb c d e f");
    EXPECT_EQ(plain_line("a\xC2\x9B"
                         "2Jb"),
              "a 2Jb")
        << "C1: a control sequence in one character";
    EXPECT_EQ(plain_line("a\xE2\x80\xA8"
                         "b"),
              "a b")
        << "U+2028 ends a line in some viewers";
    EXPECT_EQ(plain_line(std::string("a\0b", 3)), "a b");
}

TEST(PlainLine, NothingTurnsLettersRoundOrHides) {
    EXPECT_EQ(plain_line("user\xE2\x80\xAE"
                         "nimda"),
              "usernimda");
    EXPECT_EQ(plain_line("a\xE2\x81\xA6"
                         "b\xE2\x81\xA9\xD8\x9C\xE2\x80\x8B\xEF\xBB\xBF"),
              "ab");
}

TEST(PlainLine, BytesThatAreNoTextShow) {
    EXPECT_EQ(plain_line("a\xFF\xC2"
                         "b"),
              "a??b");
}

TEST(PlainLine, HoldsForEveryError) {
    EXPECT_EQ(fail(status::rejected, "said \x1B]0;x\x07\nOK")->message, "said  ]0;x  OK");
}

// Base64 in its two alphabets, percent and form escapes.

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
