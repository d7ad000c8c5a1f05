// Answers in each format, good and bad.
#include "source/description.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "support/open_source.hpp"
#include "unit/source/support.hpp"

#include <gtest/gtest.h>

namespace gputide::source::metrics_api {
namespace {

settings settings_for(const std::string& format, const std::string& location, const std::string& reduce = {}) {
    manifest::trigger from;
    from.type = "metrics-api";
    from.metadata = {{"url", "http://api/x"}, {"valueLocation", location}, {"targetValue", "1"}, {"format", format}};
    manifest::trigger_rules rules;
    rules.reduce = reduce;
    auto out = testing::settings_of(&read_settings, keys.all(), from, rules);
    EXPECT_TRUE(out) << (out ? "" : out.failure().message);
    return *std::move(out);
}

fetched judged(const settings& by, std::string body, const char* type = "application/json", std::int32_t status = 200) {
    const auto got = read_answer(testing::answered(status, std::move(body), {{"Content-Type", type}}), by);
    return got ? judge(*got, by) : judge_failure(got.failure());
}

TEST(MetricsApiAnswer, Json) {
    const settings by = settings_for("json", "components.worker.tasks");
    EXPECT_EQ(judged(by, R"({"components":{"worker":{"tasks":-2.25}}})").sample.value, -2.25);
    EXPECT_EQ(judged(by, R"({"components":{"worker":{"tasks":"4k"}}})").sample.value, 4000.0);
    EXPECT_EQ(judged(settings_for("json", "jobs.#"), R"({"jobs":[1,2,3]})").sample.value, 3.0);
    auto got = judged(by, R"({"components":{"worker":{"tasks":[1]}}})");
    EXPECT_EQ(got.why.error_class, error_class::bad_type);
    EXPECT_NE(got.why.message.find("valueLocation must point to value of type number"), std::string::npos);
    got = judged(by, R"({"components":{}})");
    EXPECT_EQ(got.why.status, status::no_data);
    got = judged(by, R"({"components":{"worker":{"tasks":1}})");  // cut
    EXPECT_EQ(got.why.error_class, error_class::not_json);
    EXPECT_EQ(judged(by, "<html>").why.status, status::protocol);
    EXPECT_EQ(judged(by, "").why.status, status::protocol);
}

TEST(MetricsApiAnswer, Yaml) {
    const settings by = settings_for("yaml", "foo.0.bar");
    EXPECT_EQ(judged(by, "foo:\n  - bar: 42\n", "text/yaml").sample.value, 42.0);
    EXPECT_EQ(judged(by, "foo:\n  - bar: \"1500m\"\n").sample.value, 1.5);
    EXPECT_EQ(judged(by, "foo:\n  - bar: yes please\n").why.error_class, error_class::bad_type);
    EXPECT_EQ(judged(by, "foo: [\n").why.status, status::protocol);
    EXPECT_EQ(judged(by, "foo: 1\n---\nfoo: 2\n").why.status, status::protocol);
}

TEST(MetricsApiAnswer, Prometheus) {
    const std::string page = "# TYPE q gauge\nq{a=\"1\"} 5\nq{a=\"2\"} 7\nother 1\n";
    EXPECT_EQ(judged(settings_for("prometheus", "q{a=\"2\"}"), page, "text/plain").sample.value, 7.0);
    EXPECT_EQ(judged(settings_for("prometheus", "q"), page, "text/plain").sample.value, 5.0);  // the first, as in KEDA
    EXPECT_EQ(judged(settings_for("prometheus", "q", "sum"), page, "text/plain").sample.value, 12.0);
    EXPECT_EQ(judged(settings_for("prometheus", "up"), "# TYPE up gauge\r\nup{} -3\r\n", "text/plain").sample.value,
              -3.0);
    EXPECT_EQ(judged(settings_for("prometheus", "p"), page, "text/plain").why.message, "metric 'p' not found");
    EXPECT_EQ(judged(settings_for("prometheus", "q{a=\"3\"}"), page, "text/plain").why.message,
              "value q{a=\"3\"} not found");
    EXPECT_EQ(judged(settings_for("prometheus", "q"), "q NaN\n", "text/plain").sample.state,
              sample_state::not_a_number);
    EXPECT_EQ(judged(settings_for("prometheus", "q"), "q x\n", "text/plain").why.status, status::protocol);
}

TEST(MetricsApiAnswer, OnlyStatus200Counts) {
    const settings by = settings_for("json", "a");
    const struct {
        std::int32_t code;
        gputide::status status;
    } rows[] = {{204, status::protocol}, {302, status::protocol},  {401, status::auth},       {403, status::forbidden},
                {404, status::rejected}, {429, status::throttled}, {503, status::unavailable}};
    for (const auto& row : rows) {
        const auto got = judged(by, R"({"a":1})", "application/json", row.code);
        EXPECT_EQ(got.why.status, row.status) << row.code;
        EXPECT_NE(got.why.message.find("api returned " + std::to_string(row.code)), std::string::npos);
    }
    // Any address may be asked: what an internal service says to a stranger is not the manifest's author's to read.
    const auto inside = judged(by, "secret pages of the inside", "text/plain", 500);
    EXPECT_EQ(inside.why.message.find("secret pages"), std::string::npos) << inside.why.message;
    EXPECT_NE(inside.why.message.find("26 bytes (not shown)"), std::string::npos) << inside.why.message;
}

// Paths as gjson writes them.

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
