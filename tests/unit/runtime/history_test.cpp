// gputide.io/forecast-history over a scripted loop: asked by range beside the first poll, in pieces, again where it failed.
#include "base/format_text.hpp"
#include "fleet_support.hpp"
#include "runtime/scaler.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>

namespace gputide::runtime {
namespace {

using json = nlohmann::json;
using testing::scripted;

constexpr std::int64_t minute_ms = 60'000;

std::string forecasting(const std::string& trigger, const std::string& history) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"ahead","annotations":{
        "gputide.io/forecast":"act","gputide.io/forecast-history":")" +
           history + R"("}},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":60,
        "triggers":[)" +
           trigger + "]}}";
}

std::int64_t second_in(const std::string& url, const std::string& name) {
    const std::size_t at = url.find(name + "=");
    return at == std::string::npos ? -1 : std::stoll(url.substr(at + name.size() + 1));
}

// Ten minutes of each hour are five times the rest.
int queue_at(std::int64_t second) { return second / 60 % 60 < 10 ? 100 : 20; }

std::string range_answer(std::int64_t start, std::int64_t end, std::int64_t step) {
    std::string points;
    for (std::int64_t at = start; at <= end; at += step)
        points += format_text("{}[{},\"{}\"]", points.empty() ? "" : ",", at, queue_at(at));
    return R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[)" + points + "]}]}}";
}

// A Prometheus with a past; it refuses as many ranges as it is told.
struct past_world : world {
    static fleet_options told() {
        fleet_options out;
        out.reports = true;
        out.every_decision = true;
        return out;
    }

    past_world() : world(told()) {
        loop->answer_with([this](const http::request& asked) {
            if (asked.url.find("query_range") == std::string::npos) return scripted(200, vector_answer(40));
            ++ranges;
            if (refusals > 0 && refusals-- > 0) return scripted(503, "busy");
            const std::int64_t start = second_in(asked.url, "start");
            const std::int64_t end = second_in(asked.url, "end");
            points += (end - start) / 60 + 1;
            return scripted(200, range_answer(start, end, second_in(asked.url, "step")));
        });
    }

    // The forecast's step of the newest decision.
    json forecast_step() {
        json out;
        while (const auto event = fleet.take_event()) {
            const json report = json::parse(event->report);
            for (const json& step : report.at("trace")) {
                if (step.at("step") == "forecast") out = step;
            }
        }
        return out;
    }

    scaler_id add_forecast(const std::string& history) {
        const scaler_id id = add_text(forecasting(prometheus("http://127.0.0.1:9090", "load"), history));
        observe(id, 8);
        return id;
    }

    int ranges = 0;
    int refusals = 0;
    std::int64_t points = 0;
};

TEST(ForecastHistory, IsAskedOnceBesideTheFirstPoll) {
    past_world w;
    w.add_forecast("14d");
    w.run(20'000);
    EXPECT_EQ(w.ranges, 3) << "20,160 points, 10,000 a query";
    EXPECT_EQ(w.points, 14 * 1440);
    const json step = w.forecast_step();
    EXPECT_EQ(step.at("history").at("outcome"), "read") << step;
    EXPECT_EQ(step.at("history").at("slots"), 14 * 1440);
    EXPECT_EQ(step.at("history").at("missing"), 0);
    EXPECT_NE(step.at("state"), "warming");
    w.run(10 * minute_ms);
    EXPECT_EQ(w.ranges, 3);
}

TEST(ForecastHistory, IsAskedAgainAMinuteAfterItFailed) {
    past_world w;
    w.refusals = 1'000;
    w.add_forecast("1d");
    w.run(50'000);
    const int first = w.ranges;
    EXPECT_GE(first, 1);
    const json failed = w.forecast_step();
    EXPECT_EQ(failed.at("history").at("outcome"), "failed") << failed;
    EXPECT_EQ(failed.at("history").at("status"), "E_UNAVAILABLE");
    EXPECT_EQ(failed.at("state"), "warming");
    w.refusals = 0;
    w.run(2 * minute_ms);
    EXPECT_EQ(w.ranges, first + 1);
    EXPECT_EQ(w.forecast_step().at("history").at("outcome"), "read");
}

TEST(ForecastHistory, AStateThatKnowsBetterIsNotReplaced) {
    past_world w;
    const scaler_id id = w.add_forecast("2d");
    w.run(20'000);
    result<std::string> saved = w.fleet.save(id);
    ASSERT_TRUE(saved);
    past_world later;
    later.wall_ms = w.wall_ms;
    later.loop->set_wall_ms(w.wall_ms);
    const scaler_id again = later.add_forecast("2d");
    ASSERT_TRUE(later.fleet.load(again, *saved));
    later.run(20'000);
    EXPECT_EQ(later.ranges, 0) << "a new leader that has the state needs no past";
    EXPECT_NE(later.forecast_step().at("state"), "warming");
}

TEST(ForecastHistory, OfASourceWithoutAPastIsNotAskedFor) {
    past_world w;
    const scaler_id id = w.add_text(forecasting(R"({"type":"values","metadata":{"threshold":"5"}})", "1d"));
    w.observe(id, 8);
    w.run(20'000);
    EXPECT_EQ(w.ranges, 0);
    EXPECT_EQ(w.forecast_step().at("history").at("outcome"), "no_past");
}

}  // namespace
}  // namespace gputide::runtime
