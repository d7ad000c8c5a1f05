// Releases as programs name them, and which versions they come to.
#include "manifest/versions.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::manifest {
namespace {

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
