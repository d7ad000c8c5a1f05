// Tests which rules hold in which release of the originals.
#include "manifest/versions.hpp"

#include "manifest/own/settings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
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

}  // namespace
}  // namespace gputide::manifest
