// KEDA's list of audiences: what its operator starts with, and the audience of each account's token.
#include "manifest/keda_operator.hpp"

#include <gtest/gtest.h>

namespace gputide::manifest {
namespace {

TEST(TokenAudiences, AnEntryWithBothNamesIsForThatAccountAlone) {
    const auto got = read_token_policy("enforce-audience",
                                       "- {audience: a.corp, namespace: ml, serviceAccountName: m}\n"
                                       "- {audience: files.corp}\n"
                                       "- {audience: b.corp, namespace: ml, serviceAccountName: a.b}\n");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(*got->audiences_for("ml", "m"), std::vector<std::string>{"a.corp"});
    EXPECT_EQ(*got->audiences_for("ml", "a.b"), std::vector<std::string>{"b.corp"});
    EXPECT_FALSE(got->audiences_for("other", "m"));
    EXPECT_FALSE(got->audiences_for("", ""));
    EXPECT_TRUE(read_token_policy("legacy", "")->audiences_for("ml", "m")->empty());
}

TEST(TokenAudiences, WhatTheOperatorStartsWith) {
    for (const auto& [mode, list] : {std::pair("", ""), std::pair("", " \n"), std::pair("legacy", ""),
                                     std::pair("legacy", "[]"), std::pair("", R"([{"audience":"a"}])")})
        EXPECT_TRUE(read_token_policy(mode, list)) << mode << " " << list;
    const struct {
        const char* mode;
        const char* list;
        const char* part;
    } rows[] = {{"off", "", "unsupported service-account-token-mode \"off\""},
                {"legacy", "- {audience: a}", "legacy exclude each other"},
                {"", "null", "must be a list, not null"},
                {"", "audience: a", "must be a list, got a mapping"},
                {"", "- a", "must be a list of mappings"},
                {"", "- {audience: a}\n---\n- {audience: b}", "one YAML or JSON document"},
                {"", "- {audience: a, account: m}", "the unknown member \"account\""},
                {"", "- {audience: 5}", "has a number as audience"},
                {"", "- {audience: 'a '}", "begins or ends with a blank"},
                {"", "- {namespace: ml, serviceAccountName: m}", "an audience that is empty"},
                {"", "- {audience: a, namespace: '*', serviceAccountName: m}", "wildcards are not supported"},
                {"", "- {audience: a, namespace: ml}", "both or neither"},
                {"",
                 "- {audience: a, namespace: ml, serviceAccountName: m}\n"
                 "- {audience: b, namespace: ml, serviceAccountName: m}",
                 "two audiences for the account ml/m"},
                {"", "- {audience: [", "cannot be read"}};
    for (const auto& row : rows) {
        const auto got = read_token_policy(row.mode, row.list);
        ASSERT_FALSE(got) << row.list;
        EXPECT_NE(got.failure().message.find(row.part), std::string::npos) << got.failure().message;
    }
}

}  // namespace
}  // namespace gputide::manifest
