// Presets fill what a manifest leaves out, and nothing else.
#include "source/presets.hpp"

#include "source/dcgm/dcgm.hpp"
#include "source/prometheus/prometheus.hpp"
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide::source {
namespace {

manifest::trigger prometheus_with(testing::metadata more) {
    more.emplace("query", "");
    return testing::prometheus_trigger(more);
}

manifest::trigger page_with(const testing::metadata& more) {
    manifest::trigger out;
    out.type = "dcgm";
    out.metadata = {{"url", "http://pod:8000"}, {"threshold", "5"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

result<prometheus::settings> query(const testing::metadata& more, text::report* findings = nullptr) {
    return testing::settings_of(&prometheus::read_settings, prometheus::keys.all(), prometheus_with(more), {},
                                manifest::profile::standard, findings);
}

result<dcgm::settings> on_page(const testing::metadata& more) {
    return testing::settings_of(&dcgm::read_settings, dcgm::keys.all(), page_with(more));
}

double value_on(const testing::metadata& more, const std::string& page) {
    const auto by = on_page(more);
    EXPECT_TRUE(by) << (by ? "" : by.failure().message);
    const auto got = dcgm::read_page(testing::answered(200, page, {{"Content-Type", "text/plain"}}), *by, 0);
    EXPECT_TRUE(got) << (got ? "" : got.failure().message);
    const fetched out = dcgm::judge_picks(*got, *by);
    EXPECT_EQ(out.sample.state, sample_state::ok) << out.why.message;
    return out.sample.value;
}

TEST(Presets, FillTheQueryWithItsMatchers) {
    const auto got = query({{"gputide.io/preset", "vllm-cache"}, {"gputide.io/preset-selector", "namespace=\"ml\""}});
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->query,
              "avg(vllm:kv_cache_usage_perc{namespace=\"ml\"} or vllm:gpu_cache_usage_perc{namespace=\"ml\"})");
    EXPECT_EQ(query({{"gputide.io/preset", "tgi-queue"}})->query, "sum(tgi_queue_size)");
    EXPECT_EQ(query({{"gputide.io/preset", "tgi-queue"}, {"gputide.io/preset-selector", "{a=\"}\"}"}})->query,
              "sum(tgi_queue_size{a=\"}\"})");
}

TEST(Presets, MatchersStandBehindThoseOfTheQuery) {
    EXPECT_EQ(query({{"gputide.io/preset", "vllm-queue"}})->query,
              "sum(vllm:num_requests_waiting_by_reason{reason=\"capacity\"}) or sum(vllm:num_requests_waiting)");
    EXPECT_EQ(query({{"gputide.io/preset", "triton-trtllm-queue"}, {"gputide.io/preset-selector", "a=\"b\""}})->query,
              "sum(nv_trt_llm_request_metrics{request_type=\"waiting\",a=\"b\"})");
}

TEST(Presets, AQueryIsNotAMetricOfAPage) {
    const auto got = on_page({{"gputide.io/preset", "vllm-ttft"}});
    ASSERT_FALSE(got);
    EXPECT_NE(got.failure().message.find("vllm-ttft is a query; write it in a prometheus trigger"), std::string::npos)
        << got.failure().message;
}

TEST(Presets, EachQueryCanBeRead) {
    for (const preset& row : presets()) {
        for (const std::string_view matchers : {"", "namespace=\"ml\",pod=~\"llm-.*\""}) {
            const query_shape shape = shape_of_query(query_of(row, matchers));
            EXPECT_FALSE(shape.metrics.empty()) << row.name;
            EXPECT_EQ(shape.counted_twice, "") << row.name;
            EXPECT_NE(shape.quantity, quantity::unknown) << row.name;
        }
    }
}

TEST(Presets, NeverReplaceWhatIsWritten) {
    EXPECT_EQ(query({{"gputide.io/preset", "tgi-queue"}, {"query", "up"}})->query, "up");
    const auto page = on_page({{"gputide.io/preset", "vllm-queue"}, {"metric", "mine"}, {"reduce", "max"}});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->numerator, std::vector<std::string>{"mine"});
    const auto reduced = on_page({{"gputide.io/preset", "vllm-queue"}, {"reduce", "max"}});
    EXPECT_EQ(reduced->reduction.reduce, "max");
}

TEST(Presets, AreAllReadByBothTypes) {
    for (const preset& preset : presets()) {
        const std::string name(preset.name);
        const auto asked = query({{"gputide.io/preset", name}, {"gputide.io/preset-selector", "a=\"b\""}});
        ASSERT_TRUE(asked) << asked.failure().message;
        EXPECT_EQ(asked->query.find("{}"), std::string::npos) << name;
        EXPECT_NE(asked->query.find("a=\"b\"}"), std::string::npos) << name;
        EXPECT_FALSE(preset.poor.empty() || preset.unit.empty()) << name;
        if (preset.metrics.empty()) continue;  // a query alone can ask for it
        const auto page = on_page({{"gputide.io/preset", name}});
        ASSERT_TRUE(page) << page.failure().message;
        EXPECT_EQ(page->rate, preset.rate) << name;
        EXPECT_EQ(page->reduction.reduce, preset.reduce) << name;
    }
}

TEST(Presets, OfAPageTakeEarlierNames) {
    const std::string older =
        "vllm:gpu_cache_usage_perc{engine=\"0\"} 0.5\nvllm:gpu_cache_usage_perc{engine=\"1\"} 0.7\n";
    EXPECT_DOUBLE_EQ(value_on({{"gputide.io/preset", "vllm-cache"}}, older), 0.6);
    const std::string queue = "vllm:num_requests_running 3\nvllm:num_requests_waiting 4\n";
    EXPECT_EQ(value_on({{"gputide.io/preset", "vllm-queue"}}, queue), 4.0);
    EXPECT_EQ(value_on({{"gputide.io/preset", "vllm-running"}}, queue), 7.0);
    const std::string amd = "amd_gpu_used_vram{gpu_id=\"0\"} 30\namd_gpu_total_vram{gpu_id=\"0\"} 40\n";
    EXPECT_EQ(value_on({{"gputide.io/preset", "amd-memory"}}, amd), 0.75);
    EXPECT_EQ(value_on({{"gputide.io/preset", "dcgm-memory"}}, "DCGM_FI_DEV_FB_USED 1\nDCGM_FI_DEV_FB_FREE 3\n"), 0.25);
    EXPECT_EQ(value_on({{"gputide.io/preset", "dcgm-utilization"}}, "dcgm_gpu_utilization 42\n"), 42.0);
}

TEST(Presets, AnUnknownNameIsToldWithItsNeighbor) {
    for (const auto& got : {query({{"gputide.io/preset", "vlm-queue"}}).failure(),
                            on_page({{"gputide.io/preset", "vlm-queue"}}).failure()}) {
        EXPECT_NE(got.message.find("there is no preset \"vlm-queue\"; did you mean \"vllm-queue\"?"), std::string::npos)
            << got.message;
    }
    const auto wrong =
        query({{"gputide.io/preset", "tgi-queue"}, {"gputide.io/preset-selector", "a=\"b\"}) or vector(0"}});
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.failure().message.find("gputide.io/preset-selector: "), std::string::npos);
}

TEST(Presets, CheckSaysWhatTheyAskAndWhenTheyMislead) {
    text::report findings;
    ASSERT_TRUE(query({{"gputide.io/preset", "dcgm-utilization"}, {"ignoreNullValues", "false"}}, &findings));
    ASSERT_EQ(findings.findings.size(), 2U);
    EXPECT_EQ(findings.findings[0].code, "preset");
    EXPECT_EQ(findings.findings[0].severity, text::severity::note);
    EXPECT_NE(findings.findings[0].message.find("avg(DCGM_FI_DEV_GPU_UTIL or dcgm_gpu_utilization) (%)"),
              std::string::npos);
    EXPECT_NE(findings.findings[0].remedy.find("one small decode loop"), std::string::npos);
    EXPECT_EQ(findings.findings[1].code, "preset-without-selector");
}

}  // namespace
}  // namespace gputide::source
