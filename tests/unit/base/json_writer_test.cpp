// JSON text as it is written: commas, escapes, numbers.
#include "base/json_writer.hpp"

#include "base/json_split.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace gputide {

namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
    json_writer out;
    out.begin_object().member("a", 1).key("b").begin_array().integer(1).begin_object().end_object().null().end_array();
    out.key("c").begin_array().end_array().member("d", true).end_object();
    EXPECT_EQ(out.text(), R"({"a":1,"b":[1,{},null],"c":[],"d":true})");
}

TEST(JsonWriter, TakesEachTypeAsItself) {
    json_writer out;
    out.begin_object().member("n", 42.5).member("i", std::int64_t{-7}).member("b", false).member("s", std::string("x"));
    out.member("v", std::string_view("y")).member("l", "z").key("r").raw("[1,2]").end_object();
    EXPECT_EQ(out.take(), R"({"n":42.5,"i":-7,"b":false,"s":"x","v":"y","l":"z","r":[1,2]})");
}

TEST(JsonWriter, WritesNumbersThatReadBack) {
    json_writer out;
    out.begin_array().number(0.1).number(1e21).number(-0.0).number(5e-324).integer(
        std::numeric_limits<std::int64_t>::min());
    out.number(std::numeric_limits<double>::quiet_NaN()).number(std::numeric_limits<double>::infinity()).end_array();
    EXPECT_EQ(out.text(), "[0.1,1e+21,-0,5e-324,-9223372036854775808,null,null]");
    EXPECT_TRUE(nlohmann::json::accept(out.text()));
}

TEST(JsonWriter, EscapesAnyByte) {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    json_writer out;
    out.string(all);
    const auto back = nlohmann::json::parse(out.text()).get<std::string>();
    EXPECT_EQ(back.substr(0, 128), all.substr(0, 128));
    EXPECT_EQ(back.size(), 128U + 128U * 3U) << "each byte that is not UTF-8 became U+FFFD";

    json_writer text;
    text.string("q\"b\\n\nr\rt\tz\x01 ä€😀");
    EXPECT_EQ(text.text(), "\"q\\\"b\\\\n\\nr\\rt\\tz\\u0001 ä€😀\"");
}

}  // namespace

// Members of an object that nothing has parsed.

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

TEST(JsonSplit, EndsATextAtAQuoteWithoutBackslash) {
    const split_text parts = split_lists(R"({"items":[{"a":"x\\"},{"a":"}\"]"},{"a":"\\\""},{"a":""}],"b":"]"} rest)",
                                         [](std::string_view member) { return member == "items"; });
    ASSERT_EQ(parts.items.size(), 4U);
    EXPECT_EQ(parts.items[0].text, R"({"a":"x\\"})");
    EXPECT_EQ(parts.items[1].text, R"({"a":"}\"]"})");
    EXPECT_EQ(parts.items[2].text, R"({"a":"\\\""})");
    EXPECT_EQ(parts.items[3].text, R"({"a":""})");
    EXPECT_FALSE(parts.cut);
    EXPECT_TRUE(split_lists(R"({"items":["x\")", [](std::string_view) { return true; }).cut);
    EXPECT_EQ(split_lists(
                  "{\n\"items\":[1,\n2]\n}", [](std::string_view) { return true; }, 5)
                  .last_line,
              8);
}

}  // namespace

}  // namespace gputide
