// Selectors taken apart, what a page holds for them, and what a trigger asks.
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::doctor {

namespace {

TEST(Selection, IsTakenApartAndPutTogether) {
    const auto read = read_selector("DCGM_FI_DEV_GPU_UTIL{deployment=\"a\\\"b\", gpu=~`0|1`,pod!=\"\"}");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->metric, "DCGM_FI_DEV_GPU_UTIL");
    EXPECT_EQ(read->text(), "DCGM_FI_DEV_GPU_UTIL{deployment=\"a\\\"b\",gpu=~\"0|1\",pod!=\"\"}");
    EXPECT_EQ(read->text_without(0), "DCGM_FI_DEV_GPU_UTIL{gpu=~\"0|1\",pod!=\"\"}");
    match_budget budget;
    EXPECT_TRUE(read->matchers[1].takes({{"gpu", "1"}}, budget));
    EXPECT_FALSE(read->matchers[1].takes({{"gpu", "10"}}, budget));
    EXPECT_FALSE(read->matchers[2].takes({{"gpu", "1"}}, budget));
}

TEST(Selection, NeedsNoBraces) {
    EXPECT_EQ(read_selector("up")->text(), "up");
    EXPECT_EQ(read_selector("{__name__=\"up\",job=\"a\"}")->metric, "up");
    EXPECT_FALSE(read_selector("up{job=}"));
}

source::series line(std::string name, source::labels labels) {
    source::series out;
    out.labels = std::move(labels);
    out.labels.insert(out.labels.begin(), {"__name__", std::move(name)});
    return out;
}

TEST(Selection, OfAPageKnowsALabelByItsOtherNames) {
    source::reading page;
    page.series = {line("DCGM_FI_DEV_GPU_UTIL", {{"exported_pod", "a"}}), line("DCGM_FI_DEV_FB_USED", {})};
    const std::vector<std::string> util = {"DCGM_FI_DEV_GPU_UTIL", "dcgm_gpu_utilization"};
    const selection found = look_over(*read_selector("DCGM_FI_DEV_GPU_UTIL{pod=\"a\"}"), util, page);
    EXPECT_EQ(found.found.size(), 1U);
    const selection other = look_over(*read_selector("DCGM_FI_DEV_GPU_UTIL{pod=\"b\"}"), util, page);
    EXPECT_EQ(other.found.size(), 0U);
    EXPECT_EQ(other.nearby.size(), 1U);
    const selection none = look_over(*read_selector("DCGM_FI_DEV_GPU_TEMP"), {"DCGM_FI_DEV_GPU_TEMP"}, page);
    EXPECT_EQ(none.metrics_alike, (std::vector<std::string>{"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_GPU_UTIL"}));
}

TEST(Selection, OfAPageKnowsAMetricByItsEarlierNames) {
    source::reading page;
    page.series = {line("vllm:gpu_cache_usage_perc", {})};
    const std::vector<std::string> names = {"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"};
    EXPECT_EQ(look_over(*read_selector(names.front()), names, page).found.size(), 1U);
}

source::description asked_by(const std::string& type, std::map<std::string, std::string> metadata) {
    manifest::trigger from;
    from.type = type;
    from.metadata = std::move(metadata);
    from.metadata["threshold"] = "5";
    auto out = source::describe(from, {}, manifest::profile::standard, nullptr);
    EXPECT_TRUE(out) << type;
    return out ? *std::move(out) : source::description();
}

TEST(Question, IsWhatIsWritten) {
    EXPECT_EQ(asked_by("prometheus", {{"serverAddress", "http://p"}, {"query", "avg(up)"}}).asks, "avg(up)");
    EXPECT_EQ(asked_by("metrics-api", {{"url", "http://p"}, {"valueLocation", "a.b"}, {"targetValue", "1"}}).asks,
              "a.b");
    EXPECT_EQ(asked_by("cpu", {{"value", "60"}}).asks, "");
    const source::description page = asked_by("dcgm", {{"url", "http://p"}, {"metric", "dcgm_gpu_utilization"}});
    EXPECT_EQ(page.asks, "dcgm_gpu_utilization");
    EXPECT_EQ(page.series_names.front(), "DCGM_FI_DEV_GPU_UTIL");
    EXPECT_FALSE(page.is_rate);
    EXPECT_TRUE(asked_by("dcgm", {{"url", "http://p"}, {"metric", "a_total"}, {"rate", "true"}}).is_rate);
}

TEST(Question, IsAPresets) {
    EXPECT_EQ(asked_by("prometheus", {{"serverAddress", "http://p"},
                                      {"gputide.io/preset", "vllm-queue"},
                                      {"gputide.io/preset-selector", "namespace=\"ml\""}})
                  .asks,
              "sum(vllm:num_requests_waiting_by_reason{reason=\"capacity\",namespace=\"ml\"}) or "
              "sum(vllm:num_requests_waiting{namespace=\"ml\"})");
    const source::description cache = asked_by("dcgm", {{"url", "http://p"}, {"gputide.io/preset", "vllm-cache"}});
    EXPECT_EQ(cache.asks, "vllm:kv_cache_usage_perc");
    EXPECT_EQ(cache.series_names, (std::vector<std::string>{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}));
    EXPECT_TRUE(asked_by("dcgm", {{"url", "http://p"}, {"gputide.io/preset", "vllm-preemptions"}}).is_rate);
    EXPECT_EQ(asked_by("dcgm", {{"url", "http://p"}, {"gputide.io/preset", "dcgm-memory"}}).series_names.front(),
              "DCGM_FI_DEV_FB_USED");
}

}  // namespace

// Metrics that are read of each pod.

namespace {

pod_reading with_pods(int count) {
    pod_reading out;
    for (int i = 0; i < count; ++i)
        out.pods.push_back({std::string(1, static_cast<char>('a' + i)), {}, {}, {}, {}, {}});
    return out;
}

void add(pod_reading& to, const std::string& pod, std::optional<std::int64_t> value_milli,
         std::optional<std::int64_t> request_milli = std::nullopt) {
    to.values.push_back({pod, value_milli, request_milli, {}, 60});
}

decide::metric_policy share_of_cpu() {
    decide::metric_policy out;
    out.name = "cpu";
    out.kind = decide::metric_kind::resource;
    out.type = manifest::target_type::utilization;
    out.utilization_pct = 40;
    return out;
}

decide::metric_policy gpu_each() {
    decide::metric_policy out;
    out.name = "gpu";
    out.target_milli = 40'000;
    return out;
}

TEST(Pods, WithoutThemNothingIsRead) {
    EXPECT_NE(judge_pods({gpu_each(), with_pods(0)}).seen.find("matches no pod"), std::string::npos);
}

TEST(Pods, WithoutAValueOfAnyAreAFailure) {
    pod_reading read = with_pods(2);
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::failed);
    EXPECT_NE(judge_pods({gpu_each(), read}).cause.find("adapter"), std::string::npos);
    add(read, "a", std::nullopt, 1'000);  // its request alone
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).verdict, verdict::failed);
    EXPECT_NE(judge_pods({share_of_cpu(), read}).cause.find("metrics-server"), std::string::npos);
}

TEST(Pods, AFewWithoutAValueAreSaid) {
    pod_reading read = with_pods(3);
    add(read, "a", 90'000);
    add(read, "b", 70'500);
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::warning) << "they hold the size";
    EXPECT_EQ(judge_pods({gpu_each(), read}).seen, "2 of 3 pods have a value; without a value: c");
    read.pods[2].phase = pod_phase::failed;  // the HPA leaves it out
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::ok);
    EXPECT_EQ(check_usage({gpu_each(), read}).seen, "80.25 per pod on average; target 40");
}

TEST(Pods, AShareNeedsARequest) {
    pod_reading read = with_pods(3);
    add(read, "a", 900, 1'000);
    add(read, "b", 709, 1'000);
    add(read, "c", std::nullopt, 1'000);  // not measured: no part of the share
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).verdict, verdict::warning) << "c holds the size";
    EXPECT_EQ(check_usage({share_of_cpu(), read}).seen, "80 % of the pods' requests; target 40 %");
    pod_reading little = with_pods(1);
    add(little, "a", 290, 1'000);
    EXPECT_EQ(check_usage({share_of_cpu(), little}).seen, "29 % of the pods' requests; target 40 %");
    read.values[1].request_milli.reset();
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).seen, "b: no request for cpu");
    EXPECT_NE(judge_pods({gpu_each(), read}).verdict, verdict::failed) << "an average needs none";
}

}  // namespace

}  // namespace gputide::doctor
