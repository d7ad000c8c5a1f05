// ${NAME}: where it is replaced, what it cannot do, and how a missing or forbidden one shows.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

std::string with_address(std::string_view value) {
    return scaled_object(
        "  triggers:\n  - type: prometheus\n    metadata:\n      serverAddress: " + std::string(value) + "\n");
}

std::string address(std::string_view value, const manifest::surroundings& host) {
    const manifest::loaded got = load(with_address(value), host);
    if (got.specs.size() != 1) return found(got);
    return got.specs[0].triggers[0].metadata.at("serverAddress");
}

TEST(Substitute, ReplacesNamesInValues) {
    const manifest::surroundings host = host_with({{"HOST", "prom"}, {"_P1", "9090"}, {"EMPTY", ""}});
    EXPECT_EQ(address("http://${HOST}:${_P1}/x", host), "http://prom:9090/x");
    EXPECT_EQ(address("a$${HOST}b", host), "a${HOST}b");
    EXPECT_EQ(address("a$HOST $ ${1} ${} $$x", host), "a$HOST $ ${1} ${} $$x");
    EXPECT_EQ(address("x${EMPTY}y", host), "xy");
}

TEST(Substitute, NeverAddsStructure) {
    const std::string hostile = "x\n      threshold: 0\n  - type: cron: \"'{[&*";
    const manifest::loaded got = load(with_address("${BAD}"), host_with({{"BAD", hostile}}));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    ASSERT_EQ(got.specs[0].triggers.size(), 1U);
    EXPECT_EQ(got.specs[0].triggers[0].metadata.size(), 1U);
    EXPECT_EQ(got.specs[0].triggers[0].metadata.at("serverAddress"), hostile);
    // Nor does a value name another variable.
    EXPECT_EQ(address("${A}", host_with({{"A", "${B}"}, {"B", "no"}})), "${B}");
}

TEST(Substitute, TypesAPlainValueByWhatItBecame) {
    const manifest::loaded got = load(scaled_object("  maxReplicaCount: ${MAX}\n"), host_with({{"MAX", "7"}}));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].scaling.max, 7);
    EXPECT_NE(found(load(scaled_object("  maxReplicaCount: ${MAX}\n"), host_with({{"MAX", "many"}})))
                  .find("expected a whole number"),
              std::string::npos);
}

// A value from the environment may be a secret that the host allowed for one purpose: it is put in, and shown nowhere.
TEST(Substitute, ShowsNoValue) {
    const auto got = load(scaled_object("  maxReplicaCount: x${MAX}\n"), host_with({{"MAX", "s3cret"}}));
    EXPECT_EQ(found(got).find("s3cret"), std::string::npos) << found(got);
    EXPECT_NE(found(got).find("***"), std::string::npos) << found(got);
}

TEST(Substitute, RefusesAnUnsetNameWithItsLine) {
    const manifest::loaded got = load(with_address("${UNSET}"), host_with({}));
    EXPECT_TRUE(got.specs.empty());
    EXPECT_EQ(found(got).substr(0, found(got).find(" (")),
              "so.yaml:11:7: error: the environment variable UNSET is not set");
    EXPECT_NE(found(got).find("spec.triggers[0].metadata.serverAddress"), std::string::npos);
}

TEST(Substitute, AsksTheHost) {
    const manifest::loaded got = load(with_address("${HOST}"));
    EXPECT_TRUE(got.specs.empty());
    EXPECT_NE(found(got).find("this program does not allow it"), std::string::npos);
    EXPECT_EQ(address("$${HOST}", {}), "${HOST}");
}

TEST(Substitute, RefusesOtherForms) {
    EXPECT_NE(address("${HOST:-x}", host_with({{"HOST", "a"}})).find("${HOST is not closed by }"), std::string::npos);
    EXPECT_NE(address("${HOST", host_with({{"HOST", "a"}})).find("${HOST is not closed by }"), std::string::npos);
}

TEST(Substitute, LeavesOtherDocumentsAlone) {
    const std::string script =
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec: {run: 'echo ${UNSET}'}\n---\n";
    EXPECT_EQ(load(script + scaled_object(), host_with({})).specs.size(), 1U);
}

TEST(Substitute, BoundsWhatItPutsIn) {
    std::string many;
    for (int i = 0; i < 100; ++i) many += "${BIG}";
    EXPECT_NE(address("\"" + many + "\"", host_with({{"BIG", std::string(100'000, 'x')}})).find("too large"),
              std::string::npos);
    EXPECT_NE(address("${RAW}", host_with({{"RAW", "\xFF"}})).find("is not valid UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace config_test
