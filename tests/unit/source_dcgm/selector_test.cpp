// Label matchers: their text, their names on a page, what they take.
#include "formats/exposition/selector.hpp"

#include "source/known_metrics.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::formats::exposition {
namespace {

std::size_t taken(std::string_view matchers, std::string_view body) {
    auto read = parse_matchers(matchers, &source::names_of_label);
    EXPECT_TRUE(read) << (read ? "" : read.failure().message);
    selector by{{"m", "quoted name"}, read ? *std::move(read) : std::vector<matcher>()};
    std::size_t out = 0;
    const auto whole = each_selected(body, format::text, by, [&out](const line&) { ++out; });
    EXPECT_TRUE(whole);
    return out;
}

constexpr std::string_view page_text =
    "m{pod=\"a-0\",namespace=\"ml\"} 1\n"
    "m{pod=\"a-1\",namespace=\"ml\"} 1\n"
    "m{pod=\"b\\\"0\",namespace=\"dev\"} 1\n"
    "m 1\n"
    "other{pod=\"a-0\"} 1\n"
    "{\"quoted name\",\"pod\"=\"a-0\"} 1\n";

TEST(selector, has_the_four_signs) {
    EXPECT_EQ(taken("", page_text), 5U);
    EXPECT_EQ(taken("pod=\"a-0\"", page_text), 2U);
    EXPECT_EQ(taken("{pod!=\"a-0\"}", page_text), 3U);
    EXPECT_EQ(taken("pod=~\"a-.*\"", page_text), 3U);
    EXPECT_EQ(taken("pod !~ 'a-.*' , namespace = `dev`,", page_text), 1U);
    EXPECT_EQ(taken("pod=\"b\\\"0\"", page_text), 1U);
}

TEST(selector, an_absent_label_is_an_empty_one) {
    EXPECT_EQ(taken("pod=\"\"", page_text), 1U);
    EXPECT_EQ(taken("pod!=\"\"", page_text), 4U);
    EXPECT_EQ(taken("pod=~\".*\"", page_text), 5U);
}

TEST(selector, knows_labels_under_all_their_names) {
    EXPECT_EQ(taken("pod=\"p\",namespace=\"ml\"", "m{pod_name=\"p\",pod_namespace=\"ml\"} 1\n"), 1U);
    EXPECT_EQ(taken("hostname=\"n\"", "m{Hostname=\"n\"} 1\nm{hostname=\"n\"} 1\n"), 2U);
    EXPECT_EQ(taken("UUID=\"u\"", "m{uuid=\"u\"} 1\nm{gpu_uuid=\"u\"} 1\n"), 2U);
    // Federated: `pod` is the exporter's own.
    EXPECT_EQ(taken("pod=\"p\"", "m{exported_pod=\"p\",pod=\"dcgm-exporter-x\"} 1\n"), 1U);
    EXPECT_EQ(taken("pod=\"dcgm-exporter-x\"", "m{exported_pod=\"p\",pod=\"dcgm-exporter-x\"} 1\n"), 0U);
}

TEST(selector, refuses_with_an_example) {
    for (const char* wrong : {"pod", "pod=", "pod=x", "pod=\"x", "=\"x\"", "pod==\"x\"", "pod=\"x\" namespace=\"y\"",
                              "9=\"x\"", "pod=~\"(\"", "pod=\"\\q\"", ",", "pod=~\"\\d\""}) {
        const auto got = parse_matchers(wrong, &source::names_of_label);
        ASSERT_FALSE(got) << wrong;
        EXPECT_EQ(got.failure().status, status::invalid) << wrong;
    }
    EXPECT_NE(parse_matchers("pod", &source::names_of_label).failure().message.find("pod=~\"llm-.*\""),
              std::string::npos);
}

// A wrong line spoils the page, also where it is of a metric that was not asked for.
TEST(selector, checks_every_line) {
    const selector by{{"m"}, {}};
    const auto got = each_selected("m 1\nother 1x\n", format::text, by, [](const line&) {});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().error_class, error_class::bad_value);
}

// Linear is not enough: 1,800 steps over 15 labels of a mebibyte would take minutes on the thread that all scalers share.
TEST(selector, a_page_has_a_budget_of_steps) {
    auto matchers = parse_matchers("a=~\"(.*a){600}\"", &source::names_of_label);
    ASSERT_TRUE(matchers);
    const selector by{{"m"}, *std::move(matchers)};
    std::string body;
    for (int i = 0; i < 15; ++i) body += "m{a=\"" + std::string((1U << 20U) - 1, 'a') + "\"} 1\n";
    const auto got = each_selected(body, format::text, by, [](const line&) {});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::limit);
    EXPECT_NE(got.failure().message.find("simplify them"), std::string::npos) << got.failure().message;
    // A page as exporters have it stays far below: 20,000 series, three labels of 40 characters each.
    const auto usual = parse_matchers("a=~\".*-x-.*\",b=~\"(one|two)-.+\",c!~\"no.*\"", &source::names_of_label);
    const selector often{{"m"}, *usual};
    std::string page;
    for (int i = 0; i < 20'000; ++i) {
        page += "m{a=\"inference-model-x-6d8f9c7b5d-abcdefgh-" + std::to_string(i) +
                "\",b=\"one-inference-model-6d8f9c7b5d-abcdefgh\",c=\"yes-inference-model-6d8f9c7b5d-abcdef\"} 1\n";
    }
    std::size_t taken = 0;
    EXPECT_TRUE(each_selected(page, format::text, often, [&](const line&) { ++taken; }));
    EXPECT_EQ(taken, 20'000U);
}

}  // namespace
}  // namespace gputide::formats::exposition
