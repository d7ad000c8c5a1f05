// Tests that an error in a text is named with its path, and everything else is planned.
#include "base/format_text.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace gputide::nodes {
namespace {

constexpr const char* good = R"("groups":[{"name":"g","count":1,"pod":{"requests":{"cpu":1000}}}])";

// The pool `good` with one of its members replaced, and a pod for which it would grow.
scene with_pool(const std::string& members) {
    return read_scene(R"({"pools":[{"id":"a",)" + members +
                      R"(},{"id":"b","max":2,"allocatable":{"cpu":4000,"memory":9}}],)" + good + "}");
}

TEST(BadInput, OneBadPoolLeavesTheOthers) {
    const struct {
        const char* members;
        const char* code;
        const char* path;
    } cases[] = {
        {R"("min":3,"max":1,"allocatable":{"cpu":1})", "min-above-max", "pools[0]"},
        {R"("size":-1,"max":1,"allocatable":{"cpu":1})", "negative", "pools[0].size"},
        {R"("max":-5,"allocatable":{"cpu":1})", "negative", "pools[0].max"},
        {R"("max":1000000,"allocatable":{"cpu":1})", "too-many", "pools[0]"},
        {R"("max":1,"allocatable":{"nvidia.com/gpu":0.5})", "fraction", "pools[0].allocatable[\"nvidia.com/gpu\"]"},
        {R"("max":1,"allocatable":{"nvidia.com/gpu":"500m"})", "fraction", "pools[0].allocatable[\"nvidia.com/gpu\"]"},
        {R"("max":1,"allocatable":{"memory":"16Gb"})", "quantity", "pools[0].allocatable.memory"},
        {R"("max":1,"allocatable":{"cpu":-1})", "negative", "pools[0].allocatable.cpu"},
        {R"("max":1,"price_per_hour":-1,"allocatable":{"cpu":1})", "wrong-type", "pools[0].price_per_hour"}};
    for (const auto& test_case : cases) {
        scene given = with_pool(test_case.members);
        EXPECT_TRUE(found(given.findings, test_case.code, test_case.path))
            << test_case.members << render(given.findings);
        ASSERT_EQ(given.of.pools.size(), 1U) << test_case.members;
        EXPECT_EQ(added_nodes(given.next()), 1) << test_case.members;
    }
}

TEST(BadInput, AnUnknownSizeIsAPoolWithoutTemplate) {
    scene given = with_pool(R"("max":5,"sku":"Standard_NC4_T5000")");
    EXPECT_TRUE(found(given.findings, "unknown-sku", "pools[0]"));
    const plan made = given.next();
    EXPECT_EQ(made.pools[0].skipped.why, skip::no_template);
    EXPECT_EQ(made.pools[1].add, 1);
}

TEST(BadInput, ExponentsAreQuantitiesAndWholeNumbers) {
    const scene given =
        read_scene(R"({"nodes":[{"name":"n","allocatable":{"nvidia.com/gpu":1e3,"cpu":"1e3","memory":"1e3"}}],
        "groups":[{"name":"g","count":1e3,"pod":{}}]})");
    EXPECT_EQ(render(given.findings), "");
    const resource_list& has = given.of.nodes.at(0).shape.allocatable;
    EXPECT_EQ(has.of("nvidia.com/gpu"), 1'000);
    EXPECT_EQ(has.of("cpu"), 1'000'000);  // millicores of a quantity
    EXPECT_EQ(has.of("memory"), 1'000);
    EXPECT_EQ(given.of.pending.at(0).count, 1'000);
}

TEST(BadInput, NegativeAndEndlessCountsOfPods) {
    const scene given = read_scene(
        R"({"groups":[{"name":"a","count":-3,"pod":{}},{"name":"b","count":100000000,"pod":{}},{"name":"c"},{"name":"d","count":2,"pod":{}}]})");
    EXPECT_TRUE(found(given.findings, "negative", "groups[0].count"));
    EXPECT_TRUE(found(given.findings, "too-many", "groups[1]"));
    EXPECT_TRUE(found(given.findings, "missing", "groups[2]"));
    ASSERT_EQ(given.of.pending.size(), 1U);
    EXPECT_EQ(given.of.pending[0].name, "d");
}

TEST(BadInput, DuplicatesOfEachKind) {
    const scene given =
        read_scene(R"({"pools":[{"id":"a","max":1,"allocatable":{"cpu":1}},{"id":"a","max":2,"allocatable":{"cpu":1}}],
        "nodes":[{"name":"n","allocatable":{"cpu":1}},{"name":"n","allocatable":{"cpu":1}}],
        "pods":[{"name":"p","namespace":"x"},{"name":"p","namespace":"x"},{"name":"p","namespace":"y"}]})");
    EXPECT_TRUE(found(given.findings, "duplicate", "pools[1]"));
    EXPECT_TRUE(found(given.findings, "duplicate", "nodes[1]"));
    EXPECT_TRUE(found(given.findings, "duplicate", "pods[1]"));
    EXPECT_EQ(given.of.pools.at(0).max, 1);  // the first one stays
    EXPECT_EQ(given.findings.count(text::severity::error), 3U);
}

// As `kubectl get nodes -o json > file` leaves it on a full disk.  Time grows with the text alone, also where all of it is one
// line.
TEST(BadInput, TenMegabytesCutInTheMiddle) {
    constexpr std::size_t half = 5'000'000;
    for (const char* const newline : {"\n", ""}) {
        std::string text = R"({"kind":"List","apiVersion":"v1","items":[)";
        std::size_t whole = 0;
        for (std::size_t i = 0; text.size() < 2 * half; ++i) {
            text += format_text(
                R"({}{"kind":"Node","metadata":{"name":"node-{}","labels":{"a/b":"{}"}},"status":{"allocatable":{"cpu":"40","nvidia.com/gpu":"8"}}})",
                i == 0 ? "" : std::string(",") + newline, i, std::string(400, 'x'));
            if (text.size() <= half) whole = i + 1;
        }
        const std::clock_t begin = std::clock();
        const scene given = read_scene(text.substr(0, half));
        const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        EXPECT_EQ(given.of.nodes.size(), whole);
        ASSERT_EQ(given.findings.count(text::severity::error), 1U) << render(given.findings);
        EXPECT_TRUE(found(given.findings, "cut-text", "items[" + std::to_string(whole) + "]"));
        EXPECT_LT(took_s, 20.0);  // some 0.2 s; looking through the rest for each item took minutes
    }
}

}  // namespace
}  // namespace gputide::nodes
