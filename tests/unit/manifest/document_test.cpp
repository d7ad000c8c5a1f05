// YAML to a tree: places, scalar types, aliases and merge keys, limits, and the texts of what is refused.
#include "text/document.hpp"

#include "base/limits.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::text {
namespace {

using gputide::testing::holds;

std::vector<document> read(std::string_view text, report* findings = nullptr) {
    report own;
    return read_documents("m.yaml", text, findings == nullptr ? own : *findings);
}

std::string refusal(std::string_view text) {
    report findings;
    EXPECT_TRUE(read(text, &findings).empty());
    EXPECT_EQ(findings.findings.size(), 1U);
    return render(findings);
}

TEST(Document, LeavesOutMembersThatTheCallerNeverReads) {
    report findings;
    const auto is_unused = [](std::string_view within, std::string_view member) {
        return member == "long" && (within == "a" || within == "list");
    };
    const std::vector<document> all = read_documents("m.json", R"({"a":{"long":[1,{"x":"}"}],
            "b":3},"list":[{"long":"\\\"","c":"\u00e4"}],"long":"kept"})",
                                                     findings, is_unused);
    ASSERT_EQ(all.size(), 1U) << render(findings);
    const node& root = all[0].root;
    ASSERT_EQ(root.find("a")->children.size(), 1U);
    EXPECT_EQ(root.find("a")->find("b")->line, 2);
    ASSERT_EQ(root.find("list")->children[0].children.size(), 1U);
    EXPECT_EQ(root.find("list")->children[0].find("c")->text, "ä");
    EXPECT_EQ(root.find("long")->text, "kept");
}

TEST(Document, KeepsPlacesOfKeysAndItems) {
    const std::vector<document> all = read("a: 1\nb:\n  - x\n  - c: 'two'\n");
    ASSERT_EQ(all.size(), 1U);
    const node* list = all[0].root.find("b");
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->line, 2);
    EXPECT_EQ(list->children[0].line, 3);
    EXPECT_EQ(list->children[0].column, 5);
    const node* two = list->children[1].find("c");
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(two->text, "two");
    EXPECT_EQ(two->line, 4);
    EXPECT_EQ(two->column, 5);
}

TEST(Document, TypesPlainScalarsByTheCoreSchema) {
    const struct {
        const char* text;
        scalar_type type;
    } rows[] = {{"", scalar_type::null},          {"~", scalar_type::null},        {"null", scalar_type::null},
                {"true", scalar_type::boolean},   {"False", scalar_type::boolean}, {"yes", scalar_type::text},
                {"5", scalar_type::integer},      {"-17", scalar_type::integer},   {"0x1f", scalar_type::integer},
                {"0o17", scalar_type::integer},   {"1.5", scalar_type::floating},  {".5", scalar_type::floating},
                {"5.", scalar_type::floating},    {"1e3", scalar_type::floating},  {"-.inf", scalar_type::floating},
                {".nan", scalar_type::floating},  {"1_000", scalar_type::text},    {"1e", scalar_type::text},
                {".", scalar_type::text},         {"-", scalar_type::text},        {"5Gi", scalar_type::text},
                {"2026-11-21", scalar_type::text}};
    for (const auto& row : rows) {
        node plain;
        plain.text = row.text;
        EXPECT_EQ(type_of(plain), row.type) << row.text;
        plain.quoted = true;
        EXPECT_EQ(type_of(plain), scalar_type::text) << row.text;
    }
}

TEST(Document, ReadsSeveralDocumentsAndLeavesEmptyOnesOut) {
    EXPECT_EQ(read("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n").size(), 2U);
    EXPECT_TRUE(read("").empty());
    EXPECT_TRUE(read("\xEF\xBB\xBF# only a comment\n").empty());
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "a: 1\n")
                  .size(),
              1U);
}

TEST(Document, ExpandsAliasesAndMergeKeys) {
    const std::vector<document> all =
        read("base: &b {x: 1, y: 2}\nmore: &m {z: 3, x: 9}\nuse:\n  <<: [*b, *m]\n  y: 7\ncopy: *b\n");
    ASSERT_EQ(all.size(), 1U);
    const node* use = all[0].root.find("use");
    ASSERT_EQ(use->children.size(), 3U);
    EXPECT_EQ(use->find("y")->text, "7");
    EXPECT_EQ(use->find("x")->text, "1");
    EXPECT_EQ(use->find("z")->text, "3");
    EXPECT_EQ(all[0].root.find("copy")->find("y")->text, "2");
}

TEST(Document, TakesCoreTagsAndRefusesOthers) {
    const std::vector<document> all = read("a: !!str 5\nb: ! 6\nc: !!int \"7\"\n");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(type_of(*all[0].root.find("a")), scalar_type::text);
    EXPECT_EQ(type_of(*all[0].root.find("b")), scalar_type::text);
    EXPECT_EQ(type_of(*all[0].root.find("c")), scalar_type::integer);
    EXPECT_TRUE(
        holds(refusal("a: !!python/object x\n"), "m.yaml:1:4: error: the tag \"tag:yaml.org,2002:python/object\""));
    EXPECT_TRUE(holds(refusal("a: !mine {b: 1}\n"), "the tag \"!mine\" is not supported"));
}

TEST(Document, RefusesWithPlaceAndRemedy) {
    EXPECT_TRUE(holds(refusal("a: 1\nb: 2\na: 3\n"),
                      "m.yaml:3:1: error: the key \"a\" is repeated in this mapping; it is first in line 1"));
    EXPECT_TRUE(
        holds(refusal("a:\n\tb: 1\n"), "m.yaml:2:1: error: this line is indented with a tab; YAML allows only blanks"));
    EXPECT_TRUE(holds(refusal("a: 1\n b: 2\n"), "m.yaml:2:"));
    EXPECT_TRUE(holds(refusal("a: [1, 2\nb: 3\n"), "not valid YAML"));
    EXPECT_TRUE(holds(refusal("a: *missing\n"), "the alias *missing has no anchor before it"));
    EXPECT_TRUE(holds(refusal("a: &x [*x]\n"), "the alias *x has no anchor before it"));
    EXPECT_TRUE(holds(refusal("? [a, b]\n: 1\n"), "a key must be text"));
    EXPECT_TRUE(holds(refusal("a: 1\nb: \"\xC3(\"\n"), "m.yaml:2:5: error: the text is not valid UTF-8 here"));
    EXPECT_TRUE(holds(refusal("a: 1\nb: \x01\n"), "control character"));
    EXPECT_TRUE(holds(refusal("<<: 5\n"), "<<: expected a mapping"));
    EXPECT_TRUE(holds(refusal(std::string("a: \"x\n") + std::string(1, '\0') + "\"\n"), "m.yaml:2"));
}

TEST(Document, StopsAtItsLimits) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; ++i) {
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
        bomb += "]\n";
    }
    EXPECT_TRUE(holds(refusal(bomb), "with expanded aliases"));

    std::string wide = "big: &big \"" + std::string(500'000, 'x') + "\"\nall: [";
    for (int i = 0; i < 20; ++i) wide += i == 0 ? "*big" : ", *big";
    EXPECT_TRUE(holds(refusal(wide + "]\n"), "with expanded aliases"));

    const std::string opened(limits::manifest_depth + 1, '[');
    EXPECT_TRUE(holds(refusal(opened), "more than 64 levels"));
    EXPECT_TRUE(holds(refusal("a: " + opened), "more than 64 levels"));
    const std::string deep(limits::manifest_depth, '[');
    EXPECT_EQ(
        read("- " + std::string(limits::manifest_depth - 1, '[') + std::string(limits::manifest_depth - 1, ']')).size(),
        1U);
    EXPECT_TRUE(holds(refusal("x: &x " + std::string(40, '[') + std::string(40, ']') + "\ny: " + std::string(40, '[') +
                              "*x" + std::string(40, ']')),
                      "more than 64 levels"));

    EXPECT_TRUE(holds(refusal(std::string(limits::manifest_bytes + 1, '#')), "1048577 bytes, at most 1048576"));
    EXPECT_TRUE(read(std::string(limits::manifest_bytes, '#')).empty());
    EXPECT_TRUE(holds(refusal(std::string(513, 'k') + ": 1\n"), "a key of 513 bytes"));

    std::string many = "[";
    for (std::size_t i = 0; i <= limits::manifest_nodes; ++i) many += "x,";
    EXPECT_TRUE(holds(refusal("a: " + many + "]"), "more than 100000 values"));
}

TEST(Document, TakesAFlowMappingThatIsNoJson) {
    const std::vector<document> all = read("{kind: List, items: []}\n");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].root.find("kind")->text, "List");
    EXPECT_TRUE(holds(refusal("{kind: List, items: [}\n"), "not valid YAML"));
    EXPECT_TRUE(holds(refusal("{\"kind\": \"List\", \"items\": [}\n"), "not valid JSON"));
}

}  // namespace
}  // namespace gputide::text
