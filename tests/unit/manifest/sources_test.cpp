// gputide.io/source.<metric>: where the value of an HPA's External metric is read.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

const char* const queue =
    "  metrics:\n  - {type: External, external: {metric: {name: queue}, target: {type: Value, value: 1500m}}}\n";

std::string with_source(std::string_view text, std::string_view name = "queue") {
    return hpa(queue, "    gputide.io/source." + std::string(name) + ": " + std::string(text) + "\n");
}

TEST(Sources, ReadsATriggerForAMetric) {
    const manifest::loaded got =
        load(with_source("|\n      type: prometheus\n      metadata:\n        serverAddress: http://p:9090\n        "
                         "query: q\n        gputide.io/reduce: sum\n"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_TRUE(got.report.findings.empty()) << found(got);
    const manifest::hpa_metric& metric = got.specs[0].metrics[0];
    ASSERT_TRUE(metric.source);
    EXPECT_EQ(metric.source->type, "prometheus");
    EXPECT_EQ(metric.source->metadata.at("query"), "q");
    EXPECT_EQ(metric.source->metadata.at("threshold"), "1.5");
    EXPECT_EQ(got.specs[0].metrics[0].rules.reduce, "sum");
}

TEST(Sources, TakesJson) {
    const manifest::loaded got = load(with_source(R"('{"type": "azure-monitor", "metadata": {"targetValue": "3"}}')"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].metrics[0].source->metadata.at("targetValue"), "3");
    EXPECT_EQ(got.specs[0].metrics[0].source->metadata.count("threshold"), 0U);
}

TEST(Sources, WarnsOfAMetricWithoutOne) {
    const manifest::loaded got = load(hpa(queue));
    EXPECT_EQ(got.specs.size(), 1U);
    EXPECT_NE(found(got).find("add the annotation gputide.io/source.queue with a trigger"), std::string::npos);
}

TEST(Sources, WarnsOfEveryMetricThatNobodyFeeds) {
    const char* const metrics = R"(  metrics:
  - {type: External, external: {metric: {name: queue}, target: {type: Value, value: "1"}}}
  - {type: Pods, pods: {metric: {name: gpu}, target: {type: AverageValue, averageValue: "5"}}}
  - {type: ContainerResource, containerResource: {name: cpu, container: main, target: {type: Utilization, averageUtilization: 50}}}
)";
    const std::string source = "    gputide.io/source.queue: '{type: values, metadata: {}}'\n";
    const std::string text = found(load(hpa(metrics, source)));
    EXPECT_EQ(text.find("External metric"), std::string::npos) << text;
    EXPECT_NE(text.find("the Pods metric \"gpu\" has no source"), std::string::npos) << text;
    EXPECT_NE(text.find("the ContainerResource metric \"cpu\" has no source"), std::string::npos) << text;
    EXPECT_NE(text.find("add the annotation gputide.io/metrics-from: kubernetes, or host"), std::string::npos) << text;
    for (const char* feeder : {"kubernetes", "host"}) {
        const std::string fed = found(load(hpa(metrics, source + "    gputide.io/metrics-from: " + feeder + "\n")));
        EXPECT_EQ(fed.find("has no source"), std::string::npos) << fed;
    }
}

TEST(Sources, WarnsOfACpuTriggerThatNobodyFeeds) {
    const char* const triggers = "  triggers:\n  - {type: cpu, metricType: Utilization, metadata: {value: \"50\"}}\n";
    const std::string text = found(load(scaled_object(triggers)));
    EXPECT_NE(text.find("trigger 0 (cpu): the Resource metric \"cpu\" has no source"), std::string::npos) << text;
    const std::string own = "    gputide.io/metrics-from: kubernetes\n";
    EXPECT_EQ(found(load(scaled_object(triggers, own))).find("has no source"), std::string::npos);
}

TEST(Sources, RefusesWithThePlaceOfTheAnnotation) {
    const struct {
        std::string text;
        const char* part;
    } rows[] = {
        {with_source("'{type: x, metadata: {}}'", "quue"),
         "no External or Object metric of this HorizontalPodAutoscaler has the name "
         "\"quue\" (metadata.annotations[\"gputide.io/source.quue\"]): did you mean \"queue\"?"},
        {with_source("'{type: x'"), "so.yaml:6:5: error: line 2 of this annotation"},
        {with_source("''"), "expected one trigger"},
        {with_source("\"a: 1\\n---\\nb: 2\""), "expected one trigger"},
        {with_source("text"), "expected a mapping"},
        {with_source("'{metadata: {}}'"), "so.yaml:6:5: error: "},
        {with_source("'{type: x, metadata: {}, authenticationRef: {name: a}}'"),
         "the TriggerAuthentication \"a\" is not given"},
        {with_source("'{type: x, metadata: {gputide.io/sync-period: 5s}}'"),
         "write it as an annotation of the manifest"},
        {with_source("'{type: x, metadata: {a: \"${UNSET}\"}}'"), "this program does not allow it"},
    };
    for (const auto& row : rows) {
        const manifest::loaded got = load(row.text);
        EXPECT_TRUE(got.specs.empty()) << row.text;
        EXPECT_NE(found(got).find(row.part), std::string::npos) << row.part << "\n" << found(got);
    }
}

TEST(Sources, SubstitutesInsideItsTreeOnly) {
    const manifest::loaded got =
        load(with_source("'{type: x, metadata: {a: \"${A}\"}}'"), host_with({{"A", "\"}, b: {c: d"}}));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].metrics[0].source->metadata.at("a"), "\"}, b: {c: d");
    EXPECT_EQ(got.specs[0].metrics[0].source->metadata.size(), 2U);
}

}  // namespace
}  // namespace config_test
