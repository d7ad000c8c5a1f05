// The metadata of a dcgm trigger: defaults, aliases, refusals, warnings.
#include "base/text.hpp"
#include "source/dcgm/dcgm.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace gputide::source::dcgm {
namespace {

using metadata = std::map<std::string, std::string>;

manifest::trigger trigger(const metadata& more) {
    manifest::trigger out;
    out.type = "dcgm";
    out.metadata = {{"url", "http://node-0:9400"}, {"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "80"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    return out;
}

settings read(const metadata& more, manifest::trigger_rules rules = {}) {
    auto out = testing::settings_of(&read_settings, keys.all(), trigger(more), rules);
    EXPECT_TRUE(out) << (out ? "" : out.failure().message);
    return out ? *std::move(out) : settings();
}

std::string refusal(const metadata& more) {
    const auto out = testing::settings_of(&read_settings, keys.all(), trigger(more));
    return out ? "taken" : out.failure().message;
}

TEST(settings, defaults) {
    const settings got = read({});
    EXPECT_EQ(got.urls, std::vector<std::string>{"http://node-0:9400/metrics"});
    EXPECT_EQ(got.numerator, (std::vector<std::string>{"DCGM_FI_DEV_GPU_UTIL", "dcgm_gpu_utilization"}));
    EXPECT_EQ(got.reduction.reduce, "avg");
    EXPECT_EQ(got.group_reduce, "max");
    EXPECT_TRUE(got.group_labels.empty());
    EXPECT_FALSE(got.rate);
    EXPECT_FALSE(got.is_ratio());
    EXPECT_TRUE(got.leaves_instances_out);
    EXPECT_EQ(got.target.metric_name, "s0-dcgm");
    EXPECT_EQ(got.target.target_milli, 80'000);
}

TEST(settings, several_exporters) {
    EXPECT_EQ(read({{"urls", "http://a:9400, https://b/x?y=1"}}).urls,
              (std::vector<std::string>{"http://a:9400/metrics", "https://b/x?y=1"}));
    EXPECT_NE(refusal({{"urls", "http://a, http://a"}}).find("listed twice"), std::string::npos);
    EXPECT_NE(refusal({{"url", "a:9400"}}).find("http://dcgm-exporter:9400/metrics"), std::string::npos);
}

TEST(settings, memory_pressure_is_a_ratio_of_sums) {
    const settings got = read({{"metric", "memory_pressure"}, {"threshold", "0.8"}});
    EXPECT_EQ(got.numerator.front(), "DCGM_FI_DEV_FB_USED");
    EXPECT_EQ(got.denominator.size(), 4U);  // two fields under two names
    EXPECT_EQ(got.selector.metrics.size(), 4U);
    EXPECT_NE(refusal({{"metric", "memory_pressure"}, {"denominator", "x"}}), "taken");
}

TEST(settings, a_counter_is_read_as_its_rate) {
    EXPECT_TRUE(read({{"metric", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}}).rate);
    EXPECT_FALSE(read({{"metric", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}, {"rate", "false"}}).rate);
    EXPECT_TRUE(read({{"metric", "nv_inference_count"}, {"rate", "true"}}).rate);
}

TEST(settings, a_pod_is_one_of_its_namespace) {
    EXPECT_EQ(read({{"by", "pod"}}).group_labels.size(), 2U);
    EXPECT_EQ(read({{"by", "pod_name"}}).group_labels.size(), 2U);
    EXPECT_EQ(read({{"by", "gpu,Hostname"}}).group_labels.size(), 2U);
}

TEST(settings, reduce_of_the_trigger_goes_before_the_annotation) {
    manifest::trigger_rules rules;
    rules.reduce = "max";
    EXPECT_EQ(read({}, rules).reduction.reduce, "max");
    EXPECT_EQ(read({{"reduce", "p95"}}, rules).reduction.reduce, "p95");
    EXPECT_NE(refusal({{"reduce", "mean"}}).find("reduce: expected avg"), std::string::npos);
    EXPECT_NE(refusal({{"groupReduce", "p101"}}).find("groupReduce: expected avg"), std::string::npos);
}

TEST(settings, all_errors_come_together) {
    manifest::trigger from = trigger({{"selector", "pod"}, {"scale", "x"}});
    from.metadata.erase("threshold");
    const auto got = testing::settings_of(&read_settings, keys.all(), from);
    ASSERT_FALSE(got);
    for (const char* part : {"error parsing dcgm metadata", "selector: expected", "scale", "threshold"}) {
        EXPECT_NE(got.failure().message.find(part), std::string::npos) << part << " in " << got.failure().message;
    }
    EXPECT_EQ(got.failure().where.text(), "trigger 0 (dcgm)");
}

bool warns(const metadata& more, std::string_view code) {
    text::report findings;
    EXPECT_TRUE(
        testing::settings_of(&read_settings, keys.all(), trigger(more), {}, manifest::profile::standard, &findings));
    return std::any_of(findings.findings.begin(), findings.findings.end(),
                       [code](const text::finding& finding) { return finding.code == code; });
}

TEST(settings, warnings) {
    EXPECT_FALSE(warns({}, "tls-not-verified"));
    EXPECT_TRUE(warns({{"unsafeSsl", "true"}}, "tls-not-verified"));
}

}  // namespace
}  // namespace gputide::source::dcgm
