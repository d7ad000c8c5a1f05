// The JSON form: strict, one value, with lines and columns.
#include "support/texts.hpp"
#include "text/document.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::text {
namespace {

using gputide::testing::holds;

std::string json_refusal(std::string_view text) {
    const read_text got = read_json(text);
    if (!got.failure) return "accepted";
    return std::to_string(got.failure->line) + ":" + std::to_string(got.failure->column) + " " + got.failure->message;
}

TEST(Json, ReadsEveryKindOfValueWithItsPlace) {
    const read_text got = read_json("{\n  \"a\": [1, -2.5e3, true, null],\n  \"b\": {\"c\": \"x\\n\\u00e9\"}\n}");
    ASSERT_FALSE(got.failure) << got.failure->message;
    ASSERT_EQ(got.roots.size(), 1U);
    const node* list = got.roots[0].find("a");
    ASSERT_EQ(list->children.size(), 4U);
    EXPECT_EQ(list->line, 2);
    EXPECT_EQ(list->column, 3);
    EXPECT_EQ(list->children[1].text, "-2.5e3");
    EXPECT_EQ(list->children[1].column, 12);
    EXPECT_EQ(type_of(list->children[2]), scalar_type::boolean);
    EXPECT_EQ(type_of(list->children[3]), scalar_type::null);
    const node* text = got.roots[0].find("b")->find("c");
    EXPECT_EQ(text->text, "x\n\xC3\xA9");
    EXPECT_EQ(type_of(*text), scalar_type::text);
    EXPECT_EQ(text->line, 3);
}

TEST(Json, KeepsTextsThatLookTyped) {
    const read_text got = read_json(R"({"a": "5", "b": "true"})");
    ASSERT_FALSE(got.failure);
    EXPECT_EQ(type_of(*got.roots[0].find("a")), scalar_type::text);
    EXPECT_EQ(type_of(*got.roots[0].find("b")), scalar_type::text);
}

TEST(Json, RefusesWhatIsNotJson) {
    for (const char* text : {"{",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "[1,]",
                             "{a: 1}",
                             "{\"a\": 01}",
                             "{\"a\": .5}",
                             "{\"a\": +1}",
                             "{\"a\": nul}",
                             "{\"a\": tru}",
                             "{\"a\": 1} x",
                             "{\"a\": 1}{\"b\": 2}",
                             "{\"a\": \"\\x\"}",
                             "{\"a\": 'x'}",
                             "[1 2]",
                             "{\"a\": 1 \"b\": 2}",
                             "{\"a\": \"line\nbreak\"}",
                             "{\"a\": NaN}",
                             "{\"a\": 1e400}",
                             "]",
                             "{]"}) {
        EXPECT_NE(json_refusal(text), "accepted") << text;
    }
}

TEST(Json, SaysWhatIsWrongInPlainWords) {
    EXPECT_TRUE(holds(json_refusal("{\"a\": nul}"), "1:7 not valid JSON: expected text in double quotes, a number"));
    EXPECT_TRUE(holds(json_refusal("{\"a\": \"b"), "1:9 not valid JSON: a string is not closed by a double quote"));
    EXPECT_TRUE(holds(json_refusal("{\"a\": 01}"), "1:7 not valid JSON: expected a JSON number"));
    EXPECT_TRUE(
        holds(json_refusal("{\"a\": 1,}"), "a comma, colon, bracket, key or value is missing or superfluous here"));
    EXPECT_TRUE(holds(json_refusal("{\"a\": \"\\x\"}"), "a string contains a line break or an invalid escape"));
}

TEST(Json, NamesTheSecondOfTwoKeys) {
    EXPECT_EQ(json_refusal("{\n \"a\": 1,\n \"a\": 2}"),
              "3:2 the key \"a\" is repeated in this mapping; it is first in line 2");
    EXPECT_TRUE(holds(json_refusal("{\"a\": 1, \"\\u0061\": 2}"), "is repeated in this mapping"));
}

TEST(Json, SaysWhereTheTextGoesOn) {
    EXPECT_TRUE(holds(json_refusal("{\"a\": 1}\n  true"), "2:3 trailing characters after the JSON value"));
}

TEST(Json, StopsAtTheDepthLimit) {
    std::string deep(65, '[');
    deep += std::string(65, ']');
    EXPECT_TRUE(holds(json_refusal(deep), "more than 64 levels"));
    EXPECT_EQ(json_refusal(std::string(64, '[') + std::string(64, ']')), "accepted");
    EXPECT_NE(json_refusal(std::string(500'000, '[')), "accepted");
}

}  // namespace
}  // namespace gputide::text
