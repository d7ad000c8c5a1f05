// What is said of a metric's number against its target, and what is left alone.
#include "pipeline/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gputide::pipeline {
namespace {

std::string trigger(const std::string& query, const std::string& threshold, const std::string& type = "",
                    const std::string& name = "") {
    return "    - type: prometheus\n" + (name.empty() ? "" : "      name: " + name + "\n") +
           (type.empty() ? "" : "      metricType: " + type + "\n") +
           "      metadata: {serverAddress: \"http://p:9090\", query: '" + query + "', threshold: \"" + threshold +
           "\", ignoreNullValues: \"false\"}\n";
}

std::string scaled_object(const std::string& triggers, const std::string& spec = "  minReplicaCount: 1\n") {
    return "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: llm}\nspec:\n  scaleTargetRef: {name: "
           "llm}\n" +
           spec + "  triggers:\n" + triggers;
}

std::string hpa(const std::string& metric) {
    return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: llm\n  annotations: "
           "{gputide.io/metrics-from: kubernetes}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "
           "name: llm}\n"
           "  maxReplicas: 10\n  metrics:\n    - " +
           metric + "\n";
}

std::vector<std::string> codes(const std::string& manifest) {
    const checked seen = check_manifest({{"so.yaml", manifest}}, {});
    std::vector<std::string> out;
    for (const config::finding& one : seen.report.findings) out.push_back(one.code);
    return out;
}

bool told(const std::string& manifest, const std::string& code) {
    const std::vector<std::string> all = codes(manifest);
    return std::find(all.begin(), all.end(), code) != all.end();
}

TEST(MetricFindings, AnAverageIsDividedOnceMore) {
    EXPECT_TRUE(told(scaled_object(trigger("avg(a)", "70")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("avg(a)", "70", "Value")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("sum(a)", "70")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("avg(wva_desired_replicas)", "1")), "average-divided"));
    EXPECT_TRUE(codes(scaled_object(trigger("sum(vllm:num_requests_waiting)", "5"))).empty());
    EXPECT_TRUE(codes(scaled_object(trigger("avg(DCGM_FI_DEV_GPU_UTIL)", "70", "Value"))).empty());
}

TEST(MetricFindings, ATotalIsMultiplied) {
    EXPECT_TRUE(told(scaled_object(trigger("sum(a)", "70", "Value")), "total-multiplied"));
    EXPECT_TRUE(told(scaled_object(trigger("wva_desired_replicas", "1", "Value")), "total-multiplied"));
    EXPECT_FALSE(told(scaled_object(trigger("wva_desired_replicas", "1")), "total-multiplied"));
}

TEST(MetricFindings, ATriggerOfAFormulaHasNoTargetOfItsOwn) {
    EXPECT_FALSE(
        told(scaled_object(trigger("avg(a)", "70", "", "q"),
                           "  minReplicaCount: 1\n  advanced: {scalingModifiers: {formula: q, target: \"1\"}}\n"),
             "average-divided"));
}

TEST(MetricFindings, ATargetThatTheRangeDoesNotReach) {
    EXPECT_TRUE(
        told(scaled_object(trigger("avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE)", "80", "Value")), "target-beyond-range"));
    EXPECT_FALSE(
        told(scaled_object(trigger("avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE) * 100", "80", "Value")), "target-beyond-range"));
    EXPECT_FALSE(told(scaled_object(trigger("avg(vllm:kv_cache_usage_perc)", "0.8", "Value")), "target-beyond-range"));
    EXPECT_TRUE(told(scaled_object(trigger("avg(DCGM_FI_DEV_GPU_UTIL)", "0.8", "Value")), "target-below-percent"));
    EXPECT_TRUE(told(hpa("{type: Pods, pods: {metric: {name: gpu_cache_usage_perc}, target: {type: AverageValue, "
                         "averageValue: 40}}}"),
                     "target-beyond-range"));
}

TEST(MetricFindings, NothingWakesAWorkloadOnItsOwnPodsMetrics) {
    const std::string own = trigger("sum(vllm:num_requests_waiting)", "5");
    EXPECT_TRUE(told(scaled_object(own, "  minReplicaCount: 0\n"), "nothing-wakes-it"));
    EXPECT_TRUE(told(scaled_object(own, ""), "nothing-wakes-it"));
    EXPECT_TRUE(told(scaled_object(own, "  minReplicaCount: 1\n  idleReplicaCount: 0\n"), "nothing-wakes-it"));
    EXPECT_FALSE(told(scaled_object(own), "nothing-wakes-it"));
    EXPECT_FALSE(told(scaled_object(own + trigger("sum(queue)", "5"), "  minReplicaCount: 0\n"), "nothing-wakes-it"));
    EXPECT_FALSE(told(scaled_object(trigger("sum(rabbitmq_queue_messages)", "5"), "  minReplicaCount: 0\n"),
                      "nothing-wakes-it"));
}

TEST(MetricFindings, AnActivationAboveTheThreshold) {
    const auto with = [](const char* activation) {
        return "    - type: prometheus\n      metadata: {serverAddress: \"http://p:9090\", query: \"sum(q)\", "
               "threshold: \"10\", "
               "activationThreshold: \"" +
               std::string(activation) + "\"}\n";
    };
    EXPECT_TRUE(told(scaled_object(with("50"), ""), "activation-above-threshold"));
    EXPECT_FALSE(told(scaled_object(with("5"), ""), "activation-above-threshold"));
    EXPECT_FALSE(told(scaled_object(with("50")), "activation-above-threshold"));  // nothing goes to zero
}

TEST(MetricFindings, AConstantHidesNaN) {
    EXPECT_TRUE(told(scaled_object(trigger("(sum(rate(c[1m])) >= 0) or vector(0)", "1")), "constant-hides-nan"));
    EXPECT_FALSE(told(scaled_object(trigger("sum(rate(c[1m])) or vector(0)", "1")), "constant-hides-nan"));
}

TEST(MetricFindings, TheFieldOfAnHpasTargetDecides) {
    EXPECT_TRUE(told(hpa("{type: External, external: {metric: {name: q}, target: {type: AverageValue, value: 5}}}"),
                     "target-field-decides"));
    EXPECT_FALSE(told(hpa("{type: External, external: {metric: {name: q}, target: {type: Value, value: 5}}}"),
                      "target-field-decides"));
    EXPECT_FALSE(
        told(hpa("{type: External, external: {metric: {name: q}, target: {type: AverageValue, averageValue: 5}}}"),
             "target-field-decides"));
}

std::string all_text(const std::string& manifest) {
    std::string out;
    for (const config::finding& one : check_manifest({{"so.yaml", manifest}}, {}).report.findings)
        out += one.code + ": " + one.message + ": " + one.remedy + "\n";
    return out;
}

TEST(MistakesOfPlace, AreNamedWithTheRightPlace) {
    const std::string below =
        "    - type: prometheus\n      metadata: {serverAddress: \"http://p:9090\", query: 'sum(x)', threshold: \"1\", "
        "metricType: Value}\n";
    EXPECT_NE(all_text(scaled_object(below)).find("beside metadata, as spec.triggers[0].metricType"),
              std::string::npos);
    const std::string jobs =
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: llm}\nspec:\n  jobTargetRef: {}\n  "
        "triggers:\n" +
        trigger("sum(x)", "1");
    EXPECT_NE(all_text(jobs).find("write kind: ScaledJob"), std::string::npos);
    EXPECT_EQ(all_text(jobs).find("scaleTargetRef is required"), std::string::npos);
    EXPECT_NE(
        all_text("{{- if .Values.keda }}\n" + scaled_object(trigger("sum(x)", "1")) + "{{- end }}\n").find("Helm"),
        std::string::npos);
}

TEST(MistakesOfPlace, AnAnnotationOfKedaThatIsMisspelt) {
    const auto with = [](const char* key) {
        std::string out = scaled_object(trigger("sum(x)", "1"));
        return out.replace(out.find("{name: llm}"), 11,
                           std::string("{name: llm, annotations: {") + key + ": \"true\"}}");
    };
    EXPECT_NE(
        all_text(with("autoscaling.keda.sh/paused-scalein")).find("did you mean autoscaling.keda.sh/paused-scale-in?"),
        std::string::npos);
    EXPECT_FALSE(told(with("autoscaling.keda.sh/paused-scale-in"), "unknown-annotation"));
    EXPECT_FALSE(told(with("example.com/paused"), "unknown-annotation"));
}

TEST(MistakesOfPlace, ACronScheduleWithBothDays) {
    const auto cron = [](const char* days) {
        return scaled_object(std::string("    - type: cron\n      metadata: {timezone: UTC, start: \"0 7 ") + days +
                             "\", end: \"0 19 " + days + "\", desiredReplicas: \"1\"}\n");
    };
    EXPECT_TRUE(told(cron("1-22 * 1-5"), "both-days"));
    EXPECT_FALSE(told(cron("* * 1-5"), "both-days"));
    EXPECT_FALSE(told(cron("1-22 * *"), "both-days"));
}

TEST(MistakesOfPlace, AFormulaOverACpuTrigger) {
    const std::string triggers =
        "    - {type: cpu, name: cpu_metric, metricType: Utilization, metadata: {value: \"60\"}}\n" +
        trigger("x", "1", "", "over");
    EXPECT_NE(all_text(scaled_object(triggers,
                                     "  minReplicaCount: 1\n  advanced: {scalingModifiers: {target: \"1\", formula: "
                                     "\"over > 0 ? over : cpu_metric\"}}\n"))
                  .find("cpu_metric is a cpu trigger"),
              std::string::npos);
}

}  // namespace
}  // namespace gputide::pipeline
