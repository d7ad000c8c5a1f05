// A lack of memory is said once a minute at most, and never lost.
#include "http/failed_allocations.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/log.hpp"
#include "support/failing_allocation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gputide::runtime {
namespace {

struct memory_notice_test : ::testing::Test {
    memory_notice_test() {
        log_sink sink;
        sink.level = log_level::error;
        sink.write = [this](log_level, const char* line) { lines.emplace_back(line); };
        set_log(std::move(sink));
    }
    ~memory_notice_test() override { set_log({}); }

    memory_notice notice;
    std::vector<std::string> lines;
};

TEST_F(memory_notice_test, says_each_shortage_once_a_minute) {
    notice.look(0);
    EXPECT_TRUE(lines.empty()) << "nothing has failed";
    for (int i = 0; i < 3; ++i) http::note_failed_allocation();
    notice.look(1'000);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].find("runtime: 3 allocations failed for lack of memory"), 0U) << lines[0];
    http::note_failed_allocation();
    notice.look(60'999);
    EXPECT_EQ(lines.size(), 1U) << "a minute has not passed";
    notice.look(61'000);
    ASSERT_EQ(lines.size(), 2U) << "nothing is lost meanwhile";
    EXPECT_EQ(lines[1].find("runtime: 1 allocations"), 0U) << lines[1];
    notice.look(200'000);
    EXPECT_EQ(lines.size(), 2U);
}

TEST_F(memory_notice_test, says_it_later_where_the_line_finds_no_memory) {
    lines.reserve(8);
    http::note_failed_allocation();
    int number = 0;
    while (testing::lacks_allocation(number, [this] { notice.look(0); }) && lines.empty()) ++number;
    EXPECT_GT(number, 0) << "the line takes memory";
    EXPECT_EQ(lines.size(), 1U) << "said by the first look that found memory";
}

}  // namespace
}  // namespace gputide::runtime
