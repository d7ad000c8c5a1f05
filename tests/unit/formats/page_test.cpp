// Pages line by line, beyond the cases of exposition.json: limits, places of errors, bodies cut anywhere.
#include "formats/exposition/page.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::formats::exposition {
namespace {

result<reading> read_page(std::string_view body, format as = format::text) { return read_all(body, as); }

std::string failure_of(std::string_view body, format as = format::text) {
    const auto got = read_page(body, as);
    return got ? "read" : got.failure().message;
}

TEST(page, gives_names_labels_values_and_times) {
    const auto got = read_page("a{x=\"1\\n2\",y=\"z\"} 1.5 1000\n");
    ASSERT_TRUE(got);
    ASSERT_EQ(got->series.size(), 1U);
    const labels expected = {{"__name__", "a"}, {"x", "1\n2"}, {"y", "z"}};
    EXPECT_EQ(got->series[0].labels, expected);
    EXPECT_EQ(got->series[0].points[0].value, 1.5);
    EXPECT_EQ(got->series[0].points[0].time_ms, 1000);
}

TEST(page, errors_name_line_metric_and_what_came) {
    EXPECT_EQ(failure_of("a 1\nDCGM_FI_DEV_SM_CLOCK{gpu=\"0\"} ERROR - FAILED\n"),
              "line 2, DCGM_FI_DEV_SM_CLOCK: expected a number as value, got \"ERROR - FAILED\"");
    EXPECT_EQ(failure_of("<html>"), "line 1: expected a metric name, got \"<html>\"");
    EXPECT_EQ(failure_of("a{x=\"1\""), "line 1, a: expected ',' or '}' after a label, got the end of the body");
    EXPECT_EQ(failure_of("a 1\n", format::openmetrics),
              "line 2, a: expected \"# EOF\" as the last line (the body was cut), got the end of the body");
}

TEST(page, bounds_labels_and_their_values) {
    std::string many = "a{";
    for (int i = 0; i <= 1000; ++i) many += "l" + std::to_string(i) + "=\"\",";
    const auto wide = read_page(many + "} 1\n");
    ASSERT_FALSE(wide);
    EXPECT_EQ(wide.failure().status, status::limit);
    const auto deep = read_page("a{x=\"" + std::string((1U << 20) + 1, 'y') + "\"} 1\n");
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.failure().status, status::limit);
    EXPECT_TRUE(read_page("a{x=\"" + std::string(1U << 20, 'y') + "\"} 1\n"));
}

TEST(page, bounds_samples) {
    std::string body;
    for (int i = 0; i < 100'000; ++i) body += "a 1\n";
    EXPECT_TRUE(read_page(body));
    const auto over = read_page(body + "a 1\n");
    ASSERT_FALSE(over);
    EXPECT_EQ(over.failure().status, status::limit);
}

TEST(page, finds_a_repeated_label_among_few_and_among_many) {
    EXPECT_NE(failure_of("a{x=\"1\",y=\"2\",x=\"3\"} 1\n"), "read");
    std::string many = "a{";
    for (int i = 0; i < 100; ++i) many += "l" + std::to_string(i) + "=\"\",";
    EXPECT_EQ(failure_of(many + "} 1\n"), "read");
    EXPECT_NE(failure_of(many + "l50=\"\"} 1\n"), "read");
    EXPECT_EQ(failure_of("a{ab=\"\",ba=\"\",aab=\"\",bab=\"\"} 1\n"), "read");
}

// Quotes, escapes and bytes above 127 at every place within a block of 16.
TEST(page, reads_values_at_any_offset) {
    for (std::size_t before = 0; before < 40; ++before) {
        const std::string fill(before, 'f');
        const auto plain = read_page("a{x=\"" + fill + "\\\"\xc3\xa9\"} 1\n");
        ASSERT_TRUE(plain) << before;
        EXPECT_EQ(plain->series[0].labels[1].second, fill + "\"\xc3\xa9");
        EXPECT_FALSE(read_page("a{x=\"" + fill + "\xff\"} 1\n")) << before;
        EXPECT_FALSE(read_page("a{x=\"" + fill + "\n\"} 1\n")) << before;
        EXPECT_TRUE(read_page("a{x=\"" + fill + "\"} 1\n# \xff\n")) << before;
    }
}

// Wherever a body ends, nothing behind its end is read (a sanitizer sees to that), and OpenMetrics notices each cut but the
// one of the last line feed.
TEST(page, a_cut_body_is_noticed) {
    const std::string whole =
        "# TYPE c counter\nc_total{x=\"1\\\\\"} 1.5 12.5 # {id=\"x\"} 1 101\n# HELP h some text\nh 1\n# EOF\n";
    ASSERT_EQ(failure_of(whole, format::openmetrics), "read");
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        const std::string cut = whole.substr(0, size);
        EXPECT_NE(failure_of(cut, format::openmetrics), "read") << cut;
        (void)read_page(std::string(cut.begin(), cut.end()));
    }
}

TEST(page, openmetrics_wants_single_blanks_and_no_remarks) {
    const auto strict = [](const std::string& line) { return failure_of(line + "\n# EOF\n", format::openmetrics); };
    EXPECT_EQ(strict("a{x=\"1\"} 1 2"), "read");
    for (const char* line :
         {"a  1", "a\t1", "a 1 ", "a {x=\"1\"} 1", "a{x=\"1\"}1", "a{ x=\"1\"} 1", "", "#", "# x", "a 1 NaN",
          "a 1 1e300", "a 1 #{x=\"1\"} 1", "a 1 # {x=\"1\"}", "# TYPE a untyped", "# HELP a", "a 1\r"}) {
        EXPECT_NE(strict(line), "read") << line;
    }
}

TEST(page, metadata_in_the_old_format_is_checked_loosely) {
    for (const char* body : {"# TYPE\n", "# HELP\n", "#HELP a\n", "# TYPE a\n", "# TYPE a GAUGE\n", "# just words\n",
                             "  # TYPE a gauge\n", "# HELP \"a b\" text\n", "# TYPE \"a \\\" b\" gauge \n"}) {
        EXPECT_EQ(failure_of(body), "read") << body;
    }
    for (const char* body : {"# TYPE a speed\n", "# TYPE 9a gauge\n", "# HELP a-b x\n", "# TYPE \"a gauge\n"}) {
        EXPECT_NE(failure_of(body), "read") << body;
    }
}

TEST(format, follows_the_media_type) {
    EXPECT_EQ(*format_of("application/openmetrics-text; version=1.0.0; charset=utf-8"), format::openmetrics);
    EXPECT_EQ(*format_of("text/plain; version=0.0.4"), format::text);
    EXPECT_EQ(*format_of(""), format::text);
    const auto binary = format_of("application/vnd.google.protobuf; encoding=delimited");
    ASSERT_FALSE(binary);
    EXPECT_EQ(binary.failure().status, status::protocol);
}

}  // namespace
}  // namespace gputide::formats::exposition
