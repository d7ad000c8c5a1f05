// What others wrote, made fit for a terminal and a log.
#include "base/plain_text.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace gputide {
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

}  // namespace
}  // namespace gputide
