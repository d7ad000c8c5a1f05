// Members of an object that nothing has parsed.
#include "base/json_split.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

TEST(JsonMember, IsTheOutermostObjects) {
    const std::string text = R"( {"a":{"name":"x","b":[{"name":"y"}]} , "\"}" : "}", "name" : "z", "name":"second"})";
    EXPECT_EQ(member_text(text, "name"), "\"z\"");
    EXPECT_EQ(member_text(text, "a"), R"({"name":"x","b":[{"name":"y"}]})");
    EXPECT_EQ(member_text(text, "b"), "");
    EXPECT_EQ(plain_member(member_text(text, "a"), "name"), "x");
}

TEST(JsonMember, GoesAsFarAsTheTextDoes) {
    EXPECT_EQ(plain_member(R"({"name":"a","spec":{"x":NaN, [)", "name"), "a");
    EXPECT_EQ(plain_member(R"({"spec":{"x":NaN},"name":"a")", "name"), "a");
    EXPECT_EQ(member_text(R"({"metadata":{"name":"a","la)", "metadata"), R"({"name":"a","la)");
    for (const char* const text : {"", "[]", "7", "{", "{\"", "{\"name", "{\"name\"", "{\"name\":", "{\"name\" 7}",
                                   "{}", "{\"x\":[,\"name\":\"a\"}"}) {
        EXPECT_EQ(member_text(text, "name"), "") << text;
    }
}

TEST(JsonMember, IsPlainTextAlone) {
    EXPECT_EQ(plain_member(R"({"name":"a\nb"})", "name"), "");
    EXPECT_EQ(plain_member(R"({"name":7})", "name"), "");
    EXPECT_EQ(plain_member(R"({"name":"cut)", "name"), "");
    EXPECT_EQ(plain_member("{\"name\":\"\xff\"}", "name"), "");
    EXPECT_EQ(plain_member("{\"name\":\"\"}", "name"), "");
}

}  // namespace
}  // namespace gputide
