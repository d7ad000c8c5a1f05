// Tests which rules hold in which release of the originals.
#include "manifest/versions.hpp"

#include "manifest/own/settings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::manifest {
namespace {

TEST(Versions, OnlyThoseThatAreKnown) {
    EXPECT_EQ(read_version(original::kubernetes, "1.35"), 35);
    EXPECT_EQ(read_version(original::keda, "2.20"), 20);
    for (const char* text : {"", "1", "1.", "1.17", "1.39", "1.9999", "1.035", "1.3a", "2.20", "v1.35"})
        EXPECT_EQ(read_version(original::kubernetes, text), std::nullopt) << text;
    EXPECT_EQ(read_version(original::keda, "2.22"), std::nullopt);
}

TEST(Versions, TheRowsOfSettingsQuoteTheKnownOnes) {
    const auto kubernetes = "a Kubernetes version from " + known_versions_text(original::kubernetes);
    const auto keda = "a KEDA version from " + known_versions_text(original::keda);
    EXPECT_EQ(std::string_view(a_kubernetes_version.expected), kubernetes);
    EXPECT_EQ(std::string_view(a_keda_version.expected), keda);
}

TEST(Versions, EachRuleHoldsFromItsReleaseOn) {
    for (const version_rule_row& row : version_rules()) {
        original_versions versions;
        std::int32_t& minor = row.which == original::kubernetes ? versions.kubernetes : versions.keda;
        minor = row.since - 1;
        EXPECT_FALSE(holds(row.rule, versions)) << row.source;
        minor = row.since;
        EXPECT_TRUE(holds(row.rule, versions)) << row.source;
        EXPECT_FALSE(row.source.empty());
    }
}

TEST(Versions, TheDefaultsAreTheNewestReleases) {
    EXPECT_TRUE(holds(version_rule::scale_to_zero_by_default, {}));
    EXPECT_TRUE(holds(version_rule::refused_write_is_error, {}));
    EXPECT_FALSE(holds(version_rule::ignores_succeeded_pods, {}));  // merged, and in no release yet
}

// Releases as programs name them, and which versions they come to.

TEST(Releases, TheNearestKnownOneOfARelease) {
    const auto nearest = [](original which, std::string_view release) {
        const auto got = nearest_known_version(which, release);
        if (!got) return std::string("none");
        return version_text(which, got->minor) + (got->is_known ? "" : " at most");
    };
    EXPECT_EQ(nearest(original::kubernetes, "v1.37.2"), "1.37");
    EXPECT_EQ(nearest(original::kubernetes, "v1.33.1-eks-7f9249a"), "1.33");
    EXPECT_EQ(nearest(original::kubernetes, "v1.36.0+k3s1"), "1.36");
    EXPECT_EQ(nearest(original::kubernetes, "v1.99.0"), "1.38 at most");
    EXPECT_EQ(nearest(original::kubernetes, "v2.0.0"), "1.38 at most");
    EXPECT_EQ(nearest(original::kubernetes, "v1.9.11"), "1.18 at most");
    EXPECT_EQ(nearest(original::keda, "2.21.0"), "2.21");
    EXPECT_EQ(nearest(original::keda, "v2.17.2-1"), "2.20 at most");
    EXPECT_EQ(nearest(original::keda, "2.20"), "2.20");
    EXPECT_EQ(nearest(original::keda, "3.0.0"), "2.21 at most");
    for (const char* text : {"", "main", "v0.0.0-master+$Format:%H$", "2", "2.", "v.1", "latest", "2.x", "2.21a",
                             "2.99999999999999999999"})
        EXPECT_EQ(nearest(original::keda, text), "none") << text;
}

TEST(Releases, WhatADifferenceIsComparedWith) {
    const auto names = [](const original_versions& used, const original_versions& found) {
        std::string out;
        for (const other_version& other : versions_to_compare(used, found))
            out += version_text(other.which, version_of(other.versions, other.which)) + " ";
        return out;
    };
    EXPECT_EQ(names({37, 21}, {37, 21}), "1.36 2.20 ");
    EXPECT_EQ(names({36, 20}, {37, 21}), "1.37 2.21 ") << "what was found goes first";
    EXPECT_EQ(names({33, 20}, {33, 20}), "1.35 2.21 ") << "no release before has other rules";
    EXPECT_EQ(names({33, 21}, {30, 21}), "1.35 2.20 ") << "found, and the same rules";
    for (const other_version& other : versions_to_compare({36, 21}, {37, 21}))
        EXPECT_EQ(version_of(other.versions, other.which == original::keda ? original::kubernetes : original::keda),
                  other.which == original::keda ? 36 : 21)
            << "one differs at a time";
}

}  // namespace

}  // namespace gputide::manifest
