// Section 10 of the C API: series, replays, streaming, and what they refuse.
#include "gputide/gputide.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace {

constexpr std::int64_t start_ms = 1'795'168'800'000;

gputide::series a_day() {
    gputide::series out;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    std::vector<std::int32_t> sizes;
    for (int i = 0; i < 5760; ++i) {
        times.push_back(start_ms + i * 15'000);
        values.push_back(i % 1000 < 300 ? 40.0 : 8.0);
        sizes.push_back(3);
    }
    out.add(0, times, values);
    out.add_replicas(times, sizes);
    return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Call>
std::string refused(Call call, gputide_status with) {
    try {
        call();
    } catch (const gputide::failure& failed) {
        EXPECT_EQ(failed.status(), with) << failed.what();
        return failed.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
}

TEST(Replay, RunsADay) {
    gputide::series day = a_day();
    EXPECT_TRUE(has(day.describe(), "\"points\":5760"));
    gputide::replay run = gputide::replay::open(pushed_manifest, R"({"chart_points":100})");
    run.run(day);
    const std::string report = run.report();
    EXPECT_TRUE(has(report, "\"steps\":5760")) << report.substr(0, 400);
    EXPECT_TRUE(has(report, "\"most_replicas\":8"));  // 40 against 5
    EXPECT_TRUE(has(report, "\"recorded_replica_hours\":72"));
}

TEST(Replay, MomentByMomentIsTheSame) {
    gputide::series day = a_day();
    gputide::replay whole = gputide::replay::open(pushed_manifest, R"({"events":50,"hold_ms":22500})");
    whole.run(day);
    gputide::replay stepped = gputide::replay::open(pushed_manifest, R"({"events":50,"hold_ms":22500})");
    for (int i = 0; i < 5760; ++i) {
        stepped.record(start_ms + i * 15'000, {gputide::value_sample(i % 1000 < 300 ? 40.0 : 8.0)}, 3);
    }
    const auto from_summary = [](const std::string& report) { return report.substr(report.find("\"summary\"")); };
    EXPECT_EQ(from_summary(stepped.report()), from_summary(whole.report()));
}

TEST(Replay, IsOverWhenItHasRunOrWasReportedOn) {
    gputide::series day = a_day();
    gputide::replay run = gputide::replay::open(pushed_manifest, "{}");
    run.run(day);
    refused([&] { run.run(day); }, GPUTIDE_E_STATE);
    refused([&] { run.record(start_ms + 86'400'000, {gputide::value_sample(8)}, 3); }, GPUTIDE_E_STATE);
    EXPECT_TRUE(has(run.report(), "\"steps\":5760")) << "what it came to stays";
    gputide::replay reported = gputide::replay::open(pushed_manifest, "{}");
    reported.report();
    refused([&] { reported.run(day); }, GPUTIDE_E_STATE);
}

TEST(Replay, ASeriesComesBackFromItsText) {
    gputide::series first = a_day();
    gputide::series second;
    second.read(0, first.write());
    EXPECT_EQ(first.write(), second.write());
}

TEST(Replay, ReadsASavedRange) {
    gputide::series of;
    of.read(0, R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1795168800,"1"],)"
               R"([1795168815,"NaN"],[1795168845,"3.5"]]}]}})");
    const std::string csv = of.write();
    EXPECT_TRUE(has(csv, "1795168815.000,NaN")) << csv;
    EXPECT_TRUE(has(csv, "1795168830.000,null")) << csv;  // the query gave nothing there
    EXPECT_TRUE(has(csv, "1795168845.000,3.5")) << csv;
}

TEST(Replay, RefusesBadSeries) {
    gputide::series of;
    EXPECT_TRUE(has(refused([&] { of.read(0, ""); }, GPUTIDE_E_NO_DATA), "empty"));
    EXPECT_TRUE(has(refused([&] { of.read(0, "time,value\n1,x\n"); }, GPUTIDE_E_INVALID), "line 2"));
    EXPECT_TRUE(
        has(refused(
                [&] {
                    of.read(0, R"({"status":"success","data":{"resultType":"matrix","result":[)"
                               R"({"metric":{"a":"1"},"values":[[1,"1"]]},{"metric":{"a":"2"},"values":[[1,"1"]]}]}})");
                },
                GPUTIDE_E_AMBIGUOUS),
            "2 series"));
    refused([&] { of.read(0, "{\"half"); }, GPUTIDE_E_PROTOCOL);
    refused([&] { of.add(0, {-5}, {1.0}); }, GPUTIDE_E_INVALID);
    refused([&] { of.describe(); }, GPUTIDE_E_NO_DATA);
    of.read(0, "1795168800,5\n");
    gputide::replay run = gputide::replay::open(pushed_manifest, "");
    EXPECT_TRUE(has(refused([&] { run.run(of); }, GPUTIDE_E_NO_DATA), "all points have the same time"));
    gputide::series empty;
    refused([&] { run.run(empty); }, GPUTIDE_E_NO_DATA);
}

TEST(Replay, RefusesBadSettings) {
    EXPECT_TRUE(
        has(refused([] { gputide::replay::open(pushed_manifest, R"({"mdoel":1})"); }, GPUTIDE_E_INVALID), "mdoel"));
    refused([] { gputide::replay::open(pushed_manifest, R"({"set":{"min":30}})"); }, GPUTIDE_E_INVALID);
    refused([] { gputide::replay::open("kind: nothing", "{}"); }, GPUTIDE_E_INVALID);
}

TEST(Replay, ASourceWithoutAPastSaysSo) {
    gputide::series of;
    gputide::scaler pushed = gputide::scaler::open(pushed_manifest);
    refused([&] { of.fetch(pushed, 0, start_ms, start_ms + 60'000, 15'000, 1'000); }, GPUTIDE_E_UNSUPPORTED);
    refused([&] { of.fetch(pushed, 7, start_ms, start_ms + 60'000, 15'000, 1'000); }, GPUTIDE_E_NOT_FOUND);
}

TEST(Replay, NullArgumentsAreErrors) {
    auto err = sized<gputide_error>();
    EXPECT_EQ(gputide_series_new(nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_series_add(nullptr, 0, nullptr, nullptr, 1, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_series_read(nullptr, 0, "1,2", GPUTIDE_TEXT, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_replay_open(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, 0, nullptr, &err),
              GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_replay_run(nullptr, nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_replay_record(nullptr, 0, nullptr, 0, 0, 0, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_replay_report(nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    gputide_series_free(nullptr);
    gputide_replay_free(nullptr);
}

TEST(Replay, CanBeCancelled) {
    gputide::series day = a_day();
    gputide::replay run = gputide::replay::open(pushed_manifest, "");
    const gputide::cancel stop;
    stop.fire();
    refused([&] { run.run(day, &stop); }, GPUTIDE_E_CANCELLED);
}

}  // namespace
