// A fleet that stands on limits, breakers and shared answers.
#include "fleet_support.hpp"

#include <gtest/gtest.h>

namespace gputide::runtime {
namespace {

using testing::scripted;

TEST(Fleet, EqualQueriesAreSentOnceWhateverTheirThresholds) {
    world w;
    w.answer(42.5, 20);
    for (int i = 0; i < 30; ++i) {
        const std::string name = "model-" + std::to_string(i);
        const std::string threshold = std::to_string(5 + i);
        w.observe(w.add_text(manifest(name, prometheus("http://127.0.0.1:9090", "up", threshold))), 3);
    }
    w.run(150'000);
    const fleet_stats stats = w.fleet.stats();
    EXPECT_EQ(stats.queries, 1U);
    EXPECT_GE(stats.polls, 300U);
    EXPECT_LE(w.loop->requests().size(), 32U) << "one a window of 5 s";
    EXPECT_EQ(stats.traffic.sent + stats.traffic.shared, stats.polls);
    EXPECT_EQ(stats.errors.size(), 0U);
}

TEST(Fleet, WithoutSharingEachAsksForItself) {
    fleet_options with;
    with.share = false;
    world w(with);
    w.answer(42.5);
    for (int i = 0; i < 3; ++i) {
        w.observe(w.add_text(manifest("m" + std::to_string(i), prometheus("http://127.0.0.1:9090", "up"))), 3);
    }
    w.run(15'000);
    EXPECT_EQ(w.loop->requests().size(), 3U);
}

// One Prometheus takes connections and never answers; the scalers of another one notice nothing.
TEST(Fleet, ADeadEndpointDelaysNobodyElse) {
    world w;
    w.loop->answer_with([](const http::request& what) {
        if (what.url.find(":9999") != std::string::npos) {
            auto out = scripted(200, vector_answer(1));
            out.delay_ms = 60'000;
            return out;
        }
        return scripted(200, vector_answer(1));
    });
    for (int i = 0; i < 200; ++i) {
        const std::string port = i % 2 == 0 ? "9999" : "9090";
        const std::string name = "model-" + std::to_string(i);
        w.observe(w.add_text(manifest(name, prometheus("http://127.0.0.1:" + port, "up{m='" + name + "'}"))), 1);
    }
    w.run(120'000);
    std::size_t alive = 0;
    for (const auto& request : w.loop->requests())
        alive += request.what.url.find(":9090") != std::string::npos ? 1U : 0U;
    EXPECT_GE(alive, 800U);
    EXPECT_LE(w.loop->requests().size() - alive, 200U) << "the dead one is hardly asked";
    const fleet_stats stats = w.fleet.stats();
    EXPECT_LE(stats.lag.quantile_ms(0.99), 1);
    EXPECT_EQ(stats.polls_lost, 0U);
    const std::string json = stats_json(stats);
    EXPECT_NE(json.find("\"failing_senders\":1"), std::string::npos) << json;
}

}  // namespace
}  // namespace gputide::runtime
