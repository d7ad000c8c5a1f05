// Tests recordings of points in any order.
#include "replay/recording.hpp"

#include "scene.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::replay {

namespace {

TEST(Recording, SortsAndCounts) {
    recording of;
    for (const std::int64_t at_s : {0, 15, 45, 30, 60, 60, 120, 135}) ASSERT_TRUE(add_point(of, 0, at_s * 1000, 1.0));
    ASSERT_TRUE(add_point(of, 0, 150'000, std::numeric_limits<double>::quiet_NaN()));
    ASSERT_TRUE(tidy(of));
    EXPECT_EQ(of.notes.points, 8);
    EXPECT_EQ(of.notes.duplicates, 1);
    EXPECT_EQ(of.notes.unordered, 1);
    EXPECT_EQ(of.notes.not_a_number, 1);
    EXPECT_EQ(of.notes.step_ms, 15'000);
    EXPECT_EQ(of.notes.gaps, 1);
    EXPECT_EQ(of.notes.longest_gap_ms, 60'000);
    EXPECT_EQ(of.metrics[0].points.back().state, sample_state::not_a_number);
}

TEST(Recording, OfTwoPointsAtOneTimeTheLastCounts) {
    recording of;
    ASSERT_TRUE(add_point(of, 0, 1000, 1));
    ASSERT_TRUE(add_point(of, 0, 2000, 5));
    ASSERT_TRUE(add_point(of, 0, 1000, 2));
    ASSERT_TRUE(tidy(of));
    ASSERT_EQ(of.metrics[0].points.size(), 2U);
    EXPECT_EQ(of.metrics[0].points[0].value, 2);
}

TEST(Recording, RefusesWhatCannotBe) {
    recording of;
    EXPECT_EQ(add_point(of, 0, -1, 1).failure().status, status::invalid);
    EXPECT_EQ(add_point(of, 0, latest_ms + 1, 1).failure().status, status::invalid);
    EXPECT_EQ(add_point(of, max_metrics, 0, 1).failure().status, status::limit);
    EXPECT_EQ(add_size(of, 0, -1).failure().status, status::invalid);
    EXPECT_EQ(tidy(of).failure().status, status::no_data);
}

TEST(Recording, MergesMetricsSideBySide) {
    recording all = scene::values({1, 2, 3});
    ASSERT_TRUE(merge(all, scene::values({4, 5}, 7), 1));
    ASSERT_TRUE(tidy(all));
    ASSERT_EQ(all.metrics.size(), 2U);
    EXPECT_EQ(all.notes.points, 5);
    EXPECT_EQ(all.sizes.size(), 2U);
    EXPECT_EQ(merge(all, scene::values({1}), max_metrics).failure().status, status::limit);
    EXPECT_EQ(all.metrics.size(), 2U);
}

}  // namespace

namespace {

recording csv(std::string_view text) {
    recording out;
    const result<void> read = read_csv(text, out);
    EXPECT_TRUE(read) << read.failure().message;
    EXPECT_TRUE(tidy(out));
    return out;
}

TEST(Csv, ReadsEachSpellingOfATime) {
    const recording of =
        csv("time,gpu,replicas\n2026-11-20T10:00:00Z,1,2\n1795168815,2,2\n1795168830.5,3,\n1795168845000,4,3\n"
            "\"2026-11-20 10:01:00\",5,3\n2026-11-20T11:01:15+01:00,6,3\n");
    ASSERT_EQ(of.metrics[0].points.size(), 6U);
    EXPECT_EQ(of.metrics[0].name, "gpu");
    const std::vector<std::int64_t> at_ms{0, 15'000, 30'500, 45'000, 60'000, 75'000};
    for (std::size_t i = 0; i < at_ms.size(); ++i)
        EXPECT_EQ(of.metrics[0].points[i].time_ms, scene::start_ms + at_ms[i]) << i;
    EXPECT_EQ(of.sizes.size(), 5U);
}

TEST(Csv, KnowsNothingNullAndNaNApart) {
    const recording of = csv("\xEF\xBB\xBF# a comment\r\n\r\n1;2;3\r\n2;;null\r\n3;NaN;4\r\n");
    ASSERT_EQ(of.metrics.size(), 2U);
    EXPECT_EQ(of.metrics[0].points.size(), 2U);
    EXPECT_EQ(of.metrics[0].points[1].state, sample_state::not_a_number);
    EXPECT_EQ(of.metrics[1].points[1].state, sample_state::empty);
}

TEST(Csv, WrittenAndReadAgainIsTheSame) {
    recording first = csv("time,\"a \"\"b\"\", c\",x,replicas\n1,1.5,null,4\n2.25,,0.1,\n3,NaN,1e300,5\n");
    const std::string text = write_csv(first);
    EXPECT_EQ(write_csv(csv(text)), text);
    EXPECT_EQ(csv(text).metrics[0].name, "a \"b\", c");
}

TEST(Csv, WrittenAndReadAgainIsTheSameInAnyYear) {
    const recording first =
        csv("1970-01-01T00:00:00.001Z,1\n1973-03-03T09:46:40Z,2\n5138-11-16T09:46:39.999Z,3\n5138-11-16T09:46:40Z,4\n"
            "9999-12-31T23:59:59.999Z,5\n");
    const recording again = csv(write_csv(first));
    ASSERT_EQ(again.metrics[0].points.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(again.metrics[0].points[i].time_ms, first.metrics[0].points[i].time_ms) << i;
}

TEST(Csv, SaysWhichLineIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"1,2\n2,x\n", "line 2"},           {"1,2\n2\n", "expected 2 columns"},
        {"hello\n", "at least one value"},  {"1,2\nyesterday,3\n", "yesterday"},
        {"1,2\n2,\"3\n", "double quote"},   {"1,2\n-5,3\n", "-5"},
        {"time,replicas\n1,2\n", "metric"}, {"1,0x10z\n", "0x10z"},
        {"1,2\n1e300,2\n", "1e300"},        {"time,a,replicas\n1,2,-3\n", "replicas"}};
    for (const auto& [text, said] : cases) {
        recording out;
        const result<void> read = read_csv(text, out);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.failure().status, status::invalid);
        const std::string all = read.failure().where.text() + ": " + read.failure().message;
        EXPECT_NE(all.find(said), std::string::npos) << all;
    }
}

TEST(Csv, OfNothingIsNoData) {
    recording out;
    ASSERT_TRUE(read_csv("time,value\n\n", out));
    EXPECT_EQ(tidy(out).failure().status, status::no_data);
}

const std::string first_line =
    R"({"time":"2026-11-20T10:00:00.000Z","name":"web","namespace":"default","current_replicas":3,"desired_replicas":6,)"
    R"("proposed_replicas":9,"active":true,"limited_by":"scale_up_limit","source":"hpa","next_due_in_ms":15000,"conditions":[],)"
    R"("trace":[{"step":"metric","metric":"s0-prometheus","state":"ok","value":42.5}]})";

TEST(RunLog, GivesValuesSizesAndDecisions) {
    const std::string nothing_due =
        R"({"time":"2026-11-20T10:00:05.000Z","name":"web","namespace":"default","current_replicas":6,"desired_replicas":6,)"
        R"("proposed_replicas":6,"limited_by":"not_due","source":"hpa"})";
    const std::string no_value =
        R"({"time":"2026-11-20T10:00:15.000Z","name":"web","namespace":"default","current_replicas":6,"desired_replicas":6,)"
        R"("proposed_replicas":6,"limited_by":"none","source":"hpa","ready_replicas":4,)"
        R"("trace":[{"step":"metric","metric":"s0-prometheus","state":"ok","value":0,"null_as_zero":true}]})";
    recording out;
    ASSERT_TRUE(read_log(first_line + "\n" + nothing_due + "\n" + no_value + "\n{\"half", "", out));
    ASSERT_TRUE(tidy(out));
    ASSERT_EQ(out.decisions.size(), 2U);
    EXPECT_EQ(out.decisions[0].desired, 6);
    EXPECT_EQ(out.decisions[1].ready, 4);
    EXPECT_EQ(out.notes.skipped_lines, 2);
    ASSERT_EQ(out.metrics[0].points.size(), 2U);
    EXPECT_EQ(out.metrics[0].points[0].value, 42.5);
    EXPECT_EQ(out.metrics[0].points[1].state, sample_state::empty);
    EXPECT_TRUE(looks_like_log(first_line));
    EXPECT_FALSE(looks_like_log("{\"status\":\"success\"}"));
}

TEST(RunLog, TakesOneScalerOfSeveral) {
    std::string other = first_line;
    other.replace(other.find("\"web\""), 5, "\"api\"");
    recording out;
    ASSERT_TRUE(read_log(first_line + "\n" + other + "\n", "default/api", out));
    EXPECT_EQ(out.decisions.size(), 1U);
    EXPECT_EQ(out.notes.skipped_lines, 1);
}

TEST(RunLog, RefusesWhatIsNone) {
    const std::vector<std::string> bad{
        first_line + "\nhello\n",
        R"({"desired_replicas":"x"})"
        "\n",
        R"({"time":"2026-11-20T10:00:00Z","current_replicas":1,"desired_replicas":-1,"proposed_replicas":1})"
        "\n",
        R"({"time":"2026-11-20T10:00:00Z","current_replicas":1,"desired_replicas":1,"proposed_replicas":1,)"
        R"("trace":[{"step":"metric","metric":"a","state":"asleep"}]})"
        "\n"};
    for (const std::string& text : bad) {
        recording out;
        const result<void> read = read_log(text, "", out);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.failure().where.text().find("line "), std::string::npos) << text;
    }
}

}  // namespace

}  // namespace gputide::replay
