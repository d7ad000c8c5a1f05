// Paths as gjson writes them.
#include "source/metrics_api/metrics_api.hpp"

#include <gtest/gtest.h>

namespace gputide::source::metrics_api {
namespace {

const char* const document = R"({"components": {"worker": {"tasks": 12.5, "text": "1500m", "on": true, "none": null},
    "a.b": {"c": 3}, "x*": 4, "back\\slash": 5, "#": 6, "2": 7}, "jobs": [{"n": 1}, {"n": 2}, 30], "empty": []})";

std::string at(std::string_view path) {
    const auto steps = parse_path(path);
    if (!steps) return "refused";
    const text::read_text tree = text::read_json(document);
    const text::node* found = find(tree.roots.at(0), *steps);
    if (found == nullptr) return "nothing";
    if (steps->back().elements && found->kind == text::node_kind::sequence) {
        return "#" + std::to_string(found->children.size());
    }
    const auto number = number_in(*found);
    return number ? std::to_string(*number).substr(0, 4) : "no number";
}

TEST(Path, FindsMembersAndElements) {
    const struct {
        const char* path;
        const char* expected;
    } rows[] = {{"components.worker.tasks", "12.5"},
                {"components.worker.text", "1.50"},
                {"components.worker.on", "no number"},
                {"components.worker.none", "no number"},
                {"components.worker", "no number"},
                {"jobs.1.n", "2.00"},
                {"jobs.2", "30.0"},
                {"jobs.3", "nothing"},
                {"jobs.-1", "nothing"},
                {"jobs.n", "nothing"},
                {"jobs.#", "#3"},
                {"empty.#", "#0"},
                {"components.#", "6.00"},
                {"components.2", "7.00"},
                {"components.worker.tasks.more", "nothing"},
                {"components.a\\.b.c", "3.00"},
                {"components.x\\*", "4.00"},
                {"components.back\\\\slash", "5.00"},
                {"components.\\#", "6.00"},
                {"components.w*.tas?s", "12.5"},
                {"*.worker.tasks", "12.5"},
                {"components.x\\**", "4.00"},
                {"components.z*", "nothing"},
                {"jobs.*", "nothing"}};
    for (const auto& row : rows) EXPECT_EQ(at(row.path), row.expected) << row.path;
}

TEST(Path, RefusesWhatItDoesNotRead) {
    for (const char* path : {"", ".a", "a.", "a..b", "jobs.#(n==1).n", "jobs.#.n", "a|b", "@this", "a.@reverse",
                             "{a,b}", "[a,b]", "!\"x\""}) {
        EXPECT_EQ(at(path), "refused") << path;
    }
    EXPECT_FALSE(parse_path(std::string(200, '.')));
    std::string deep = "a";
    for (int i = 0; i < 64; ++i) deep += ".a";
    EXPECT_FALSE(parse_path(deep));
}

TEST(Series, AreNamesWithMatchers) {
    const auto got = parse_series("vllm:num_requests_waiting{model_name=\"a,b\", engine!=\"1\"}");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->metrics, std::vector<std::string>{"vllm:num_requests_waiting"});
    EXPECT_EQ(got->matchers.size(), 2U);
    EXPECT_TRUE(parse_series("up"));
    for (const char* bad : {"{a=\"b\"}", "a b", "up{a}", "up{a=\"b\"", ""}) EXPECT_FALSE(parse_series(bad)) << bad;
}

}  // namespace
}  // namespace gputide::source::metrics_api
