// Tests what the log says of a trigger that fails: that it does, that it does so in another way, and that it reads again.
#include "fleet_support.hpp"
#include "runtime/log.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gputide::runtime {
namespace {

struct failure_log : ::testing::Test {
    failure_log() {
        log_sink sink;
        sink.level = log_level::info;
        sink.write = [this](log_level, const char* line) { lines.emplace_back(line); };
        set_log(std::move(sink));
    }
    ~failure_log() override { set_log({}); }

    // A minute in which the server answers so.
    std::vector<std::string> minute(std::int32_t http_status) {
        lines.clear();
        w.loop->answer_with([this, http_status](const http::request&) {
            if (http_status == 200) return testing::scripted(200, vector_answer(5));
            return testing::scripted(http_status, "attempt " + std::to_string(++attempts));  // another text each time
        });
        w.run(60'000);
        return lines;
    }

    world w;
    int attempts = 0;
    std::vector<std::string> lines;
};

TEST_F(failure_log, tells_each_change_once) {
    w.observe(w.add("demo"), 1);
    EXPECT_EQ(minute(200), std::vector<std::string>());
    const auto broken = minute(500);
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].find("default/demo: s0-prometheus: E_UNAVAILABLE: "), 0U) << broken[0];
    EXPECT_EQ(minute(500), std::vector<std::string>()) << "the same failure is not told again";
    const auto forbidden = minute(403);
    ASSERT_EQ(forbidden.size(), 1U);
    EXPECT_NE(forbidden[0].find("E_FORBIDDEN"), std::string::npos) << forbidden[0];
    EXPECT_EQ(minute(200), std::vector<std::string>{"default/demo: s0-prometheus: reads again"});
}

}  // namespace
}  // namespace gputide::runtime
