// HorizontalPodAutoscalers: each metric kind, the older versions converted, selectors, and what the API server refuses.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

using manifest::metric_kind;
using manifest::target_type;

manifest::spec entry(const std::string& text) {
    manifest::loaded got = load(text);
    EXPECT_EQ(got.specs.size(), 1U) << found(got);
    return got.specs.empty() ? manifest::spec{} : got.specs.front();
}

TEST(Hpa, ReadsEveryMetricKind) {
    const manifest::spec spec = entry(hpa(R"(  minReplicas: 2
  maxReplicas: 20
  metrics:
  - type: External
    external: {metric: {name: q, selector: {matchLabels: {b: x, a: y}, matchExpressions: [{key: c, operator: In, values: [m, n]}, {key: aa, operator: DoesNotExist}]}}, target: {type: AverageValue, averageValue: "30"}}
  - type: External
    external: {metric: {name: r}, target: {type: Value, value: 100m}}
  - type: Object
    object: {metric: {name: o}, describedObject: {apiVersion: v1, kind: Service, name: svc}, target: {type: Value, value: 2k}}
  - type: Pods
    pods: {metric: {name: p}, target: {type: AverageValue, averageValue: 1500m}}
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}
  - type: ContainerResource
    containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: 1Gi}}
)"));
    EXPECT_EQ(spec.scaling.kind, manifest::manifest_kind::horizontal_pod_autoscaler);
    EXPECT_EQ(spec.scaling.min, 2);
    EXPECT_EQ(spec.scaling.hpa_min(), 2);
    EXPECT_EQ(spec.scaling.max, 20);
    EXPECT_EQ(spec.scaling.target_name, "worker");
    ASSERT_EQ(spec.metrics.size(), 6U);
    EXPECT_EQ(spec.metrics[0].kind, metric_kind::external);
    EXPECT_EQ(spec.metrics[0].selector.query, "a=y,!aa,b=x,c in (m,n)");
    EXPECT_EQ(spec.metrics[0].selector.shown,
              "&LabelSelector{MatchLabels:map[string]string{a: y,b: x,},MatchExpressions:[]LabelSelectorRequirement{"
              "LabelSelectorRequirement{Key:c,Operator:In,Values:[m n],},"
              "LabelSelectorRequirement{Key:aa,Operator:DoesNotExist,Values:[],},},}");
    EXPECT_EQ(spec.metrics[1].selector.shown, "nil");
    EXPECT_EQ(spec.metrics[0].target_milli, 30'000);
    EXPECT_EQ(spec.metrics[1].type, target_type::value);
    EXPECT_EQ(spec.metrics[1].target_milli, 100);
    EXPECT_EQ(spec.metrics[2].object_kind, "Service");
    EXPECT_EQ(spec.metrics[2].object_name, "svc");
    EXPECT_EQ(spec.metrics[2].target_milli, 2'000'000);
    EXPECT_EQ(spec.metrics[3].kind, metric_kind::pods);
    EXPECT_EQ(spec.metrics[3].target_milli, 1'500);
    EXPECT_EQ(spec.metrics[4].type, target_type::utilization);
    EXPECT_EQ(spec.metrics[4].utilization_pct, 70);
    EXPECT_EQ(spec.metrics[5].container, "main");
    EXPECT_EQ(spec.metrics[5].target_milli, 1'073'741'824'000);
    EXPECT_FALSE(spec.scaling.behavior);
}

TEST(Hpa, FillsDefaults) {
    const manifest::loaded got = load(hpa("  behavior: {}\n"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    const manifest::spec& spec = got.specs[0];
    EXPECT_EQ(spec.scaling.hpa_min(), 1);
    ASSERT_EQ(spec.metrics.size(), 1U);
    EXPECT_EQ(spec.metrics[0].name, "cpu");
    EXPECT_EQ(spec.metrics[0].utilization_pct, 80);
    ASSERT_TRUE(spec.scaling.behavior);
    EXPECT_EQ(spec.scaling.behavior->down.window_s, 300);
    EXPECT_EQ(spec.scaling.behavior->up.policies.size(), 2U);
    EXPECT_EQ(got.report.count(text::severity::warning), 1U) << "cpu is never read";
}

TEST(Hpa, ConvertsV1) {
    const manifest::spec spec = entry(hpa("  targetCPUUtilizationPercentage: 55\n", {}, "v1"));
    ASSERT_EQ(spec.metrics.size(), 1U);
    EXPECT_EQ(spec.metrics[0].kind, metric_kind::resource);
    EXPECT_EQ(spec.metrics[0].utilization_pct, 55);
    EXPECT_EQ(entry(hpa("", {}, "v1")).metrics[0].utilization_pct, 80);
    EXPECT_NE(found(load(hpa("", "    autoscaling.alpha.kubernetes.io/metrics: '[]'\n", "v1"))).find("is not read"),
              std::string::npos);
}

TEST(Hpa, ConvertsV2beta1) {
    const manifest::spec spec = entry(hpa(R"(  metrics:
  - type: External
    external: {metricName: q, metricSelector: {matchLabels: {a: b}}, targetAverageValue: 5}
  - type: External
    external: {metricName: r, targetValue: "7"}
  - type: Pods
    pods: {metricName: p, targetAverageValue: 2}
  - type: Object
    object: {metricName: o, target: {kind: Service, name: s}, targetValue: 3}
  - type: Resource
    resource: {name: cpu, targetAverageUtilization: 60}
)",
                                          {}, "v2beta1"));
    ASSERT_EQ(spec.metrics.size(), 5U);
    EXPECT_EQ(spec.metrics[0].selector.query, "a=b");
    EXPECT_EQ(spec.metrics[0].type, target_type::average_value);
    EXPECT_EQ(spec.metrics[0].target_milli, 5'000);
    EXPECT_EQ(spec.metrics[1].type, target_type::value);
    EXPECT_EQ(spec.metrics[2].kind, metric_kind::pods);
    EXPECT_EQ(spec.metrics[3].object_name, "s");
    EXPECT_EQ(spec.metrics[3].target_milli, 3'000);
    EXPECT_EQ(spec.metrics[4].utilization_pct, 60);
}

TEST(Hpa, ConvertsV2beta2) {
    const manifest::loaded got = load(
        hpa("  behavior: {scaleDown: {selectPolicy: Disabled}}\n  metrics:\n  - {type: Resource, resource: {name: cpu, "
            "target: {type: Utilization, averageUtilization: 50}}}\n",
            {}, "v2beta2"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].scaling.behavior->down.select, manifest::select_policy::disabled);
    EXPECT_NE(found(got).find("autoscaling/v2beta2 is no longer served"), std::string::npos);
}

std::string metric(const char* text) { return hpa(std::string("  metrics:\n  - ") + text + "\n"); }

TEST(Hpa, RefusesWithTheApiServersWords) {
    const struct {
        std::string text;
        const char* part;
    } rows[] = {
        {hpa("  maxReplicas: 0\n"), "must be greater than 0 (spec.maxReplicas)"},
        {hpa("  minReplicas: 5\n  maxReplicas: 2\n"),
         "must be greater than or equal to `minReplicas` (spec.maxReplicas)"},
        {hpa("  minReplicas: 0\n"),
         "must specify at least one Object or External metric to support scaling to zero replicas (spec.metrics)"},
        {hpa("  minReplicas: 0\n", "    gputide.io/hpa-version: \"1.36\"\n"), "gputide.io/hpa-scale-to-zero"},
        {metric("{type: External, external: {metric: {name: q}, target: {type: Value}}}"),
         "must set either a target value for metric or a per-pod target "
         "(spec.metrics[0].external.target.averageValue)"},
        {metric("{type: External, external: {metric: {name: q}, target: {type: Value, value: -1}}}"),
         "must be positive (spec.metrics[0].external.target.value)"},
        {metric("{type: External, external: {metric: {name: q}, target: {type: Value, value: many}}}"),
         "must be a quantity"},
        {metric("{type: External, external: {metric: {name: q}, target: {type: Sum, value: 1}}}"),
         "must be either Utilization, Value, or AverageValue"},
        {metric("{type: External, external: {target: {type: Value, value: 1}}}"), "must specify a metric name"},
        {metric("{type: External, pods: {metric: {name: q}, target: {type: AverageValue, averageValue: 1}}}"),
         "must populate information for the given metric source (spec.metrics[0].external)"},
        {metric("{type: External, external: {metric: {name: q}, target: {type: Value, value: 1}}, pods: {metric: "
                "{name: q}, "
                "target: {type: AverageValue, averageValue: 1}}}"),
         "must populate the given metric source only (spec.metrics[0].pods)"},
        {metric("{type: Pods, pods: {metric: {name: q}, target: {type: Value, value: 1}}}"),
         "must specify a positive target averageValue"},
        {metric("{type: Object, object: {metric: {name: q}, describedObject: {kind: Service, name: s}, target: {type: "
                "Value}}}"),
         "must set either a target value or averageValue"},
        {metric("{type: Object, object: {metric: {name: q}, describedObject: {kind: Service, name: s}, target: {type: "
                "Value, averageValue: 1}}}"),
         "is Value, but only averageValue is set"},
        {metric("{type: Resource, resource: {name: cpu, target: {type: Utilization}}}"),
         "must set either a target raw value or a target utilization"},
        {metric("{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 5, "
                "averageValue: 1}}}"),
         "may not set both a target raw value and a target utilization"},
        {metric("{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}"),
         "must be greater than 0"},
        {metric("{type: ContainerResource, containerResource: {name: cpu, target: {type: Utilization, "
                "averageUtilization: 1}}}"),
         "must specify a container"},
        {metric("{type: Gpu}"),
         "Unsupported value: \"Gpu\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", "
         "\"Resource\" (spec.metrics[0].type)"},
        {hpa("  behavior: {scaleUp: {selectPolicy: Most}}\n"),
         "Unsupported value: \"Most\": supported values: \"Disabled\", \"Max\", \"Min\" "
         "(spec.behavior.scaleUp.selectPolicy)"},
        {hpa("  behavior: {scaleUp: {policies: [{type: Replicas, value: 1, periodSeconds: 5}]}}\n"),
         "Unsupported value: \"Replicas\": supported values: \"Percent\", \"Pods\" "
         "(spec.behavior.scaleUp.policies[0].type)"},
        {hpa("  behavior: {scaleDown: {tolerance: much}}\n"), "must be a quantity"},
        {metric("{type: External, external: {metricName: q, targetAverageValue: 5}}"),
         "targetAverageValue is not a field of this version and kind (spec.metrics[0].external.targetAverageValue): "
         "write "
         "target: "
         "{type: AverageValue, averageValue: ...} instead"},
        {hpa("  minReplicaCount: 1\n"), "write minReplicas instead"},
        {hpa("  targetCPUUtilizationPercentage: 50\n"), "write metrics: with a Resource metric of cpu instead"},
        {hpa("  metrics: []\n", {}, "v1"), "write apiVersion: autoscaling/v2 instead"},
        {hpa("", {}, "v2alpha1"),
         "write apiVersion: autoscaling/v2, autoscaling/v2beta2, autoscaling/v2beta1, autoscaling/v1"},
    };
    for (const auto& row : rows) {
        const manifest::loaded got = load(row.text);
        EXPECT_TRUE(got.specs.empty()) << row.text;
        EXPECT_NE(found(got).find(row.part), std::string::npos) << row.part << "\n" << found(got);
    }
}

TEST(Hpa, AcceptsZeroBehindItsGate) {
    const char* const external =
        "  minReplicas: 0\n  metrics:\n  - {type: External, external: {metric: {name: q}, target: {type: Value, value: "
        "1}}}\n";
    EXPECT_EQ(entry(hpa(external)).scaling.hpa_min(), 0);  // on by default since Kubernetes 1.37
    EXPECT_EQ(entry(hpa(external, "    gputide.io/hpa-scale-to-zero: \"true\"\n    gputide.io/hpa-version: \"1.36\"\n"))
                  .scaling.hpa_min(),
              0);
    for (const char* off : {"    gputide.io/hpa-version: \"1.36\"\n", "    gputide.io/hpa-scale-to-zero: \"false\"\n"})
        EXPECT_NE(found(load(hpa(external, off))).find("gputide.io/hpa-scale-to-zero"), std::string::npos) << off;
}

TEST(Hpa, TakesTheControllersFlags) {
    const char* const flags =
        "    gputide.io/tolerance: \"0.2\"\n    gputide.io/downscale-stabilization: 1m\n"
        "    gputide.io/cpu-initialization-period: 2m\n    gputide.io/initial-readiness-delay: 10s\n";
    const manifest::scaling scaling = entry(hpa("  behavior: {scaleUp: {tolerance: 0.3}}\n", flags)).scaling;
    EXPECT_EQ(scaling.controller.cpu_initialization_s, 120);
    EXPECT_EQ(scaling.controller.initial_readiness_s, 10);
    ASSERT_TRUE(scaling.behavior);
    EXPECT_EQ(scaling.behavior->up.tolerance, 0.3);
    EXPECT_EQ(scaling.behavior->down.tolerance, 0.2);
    EXPECT_EQ(scaling.behavior->down.window_s, 60);
    EXPECT_EQ(entry(hpa("", flags)).scaling.controller.downscale_window_s, 60);
}

TEST(Hpa, KeepsSmallTolerances) {
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: 0.0005}}\n")).scaling.behavior->up.tolerance, 0.0005);
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: 50m}}\n")).scaling.behavior->up.tolerance, 0.05);
    // The value that the API server stores for 0.0125, and what both read as.
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: 12500u}}\n")).scaling.behavior->up.tolerance, 12500 * 1e-6);
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: 0.0125}}\n")).scaling.behavior->up.tolerance, 12500 * 1e-6);
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: 0.0125}}\n", "    gputide.io/hpa-version: \"1.34\"\n"))
                  .scaling.behavior->up.tolerance,
              0.1);  // on by default since 1.35
    EXPECT_EQ(entry(hpa("  behavior: {scaleUp: {tolerance: \"0\"}}\n")).scaling.behavior->up.tolerance, 0.0);
}

}  // namespace
}  // namespace config_test
