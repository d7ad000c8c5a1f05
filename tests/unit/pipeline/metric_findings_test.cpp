// Tests what is said of a metric's number against its target, and what is left alone.
#include "pipeline/pipeline.hpp"

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
    for (const text::finding& finding : seen.report.findings) out.push_back(finding.code);
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

std::string own_trigger(const std::string& type, const std::string& metadata, const std::string& metric_type = "") {
    return "    - type: " + type + "\n" + (metric_type.empty() ? "" : "      metricType: " + metric_type + "\n") +
           "      metadata: {" + metadata + "}\n";
}

// The same findings as the equal query.
TEST(MetricFindings, TriggersOfOurOwnAreJudgedAsQueriesAre) {
    const std::string page = "url: \"http://x:9400\", metric: ";
    const struct {
        std::string own, query, threshold, type;
    } pairs[] = {
        {own_trigger("dcgm", page + "DCGM_FI_DEV_GPU_UTIL, threshold: \"70\""), "avg(DCGM_FI_DEV_GPU_UTIL)", "70", ""},
        {own_trigger("dcgm", page + "DCGM_FI_DEV_GPU_UTIL, threshold: \"70\"", "Value"), "avg(DCGM_FI_DEV_GPU_UTIL)",
         "70", "Value"},
        {own_trigger("dcgm", page + "vllm:num_requests_waiting, reduce: sum, threshold: \"5\"", "Value"),
         "sum(vllm:num_requests_waiting)", "5", "Value"},
        {own_trigger("dcgm", page + "vllm:num_requests_waiting, reduce: sum, threshold: \"5\""),
         "sum(vllm:num_requests_waiting)", "5", ""},
        {own_trigger("dcgm", page + "DCGM_FI_PROF_GR_ENGINE_ACTIVE, threshold: \"60\"", "Value"),
         "avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE)", "60", "Value"},
        {own_trigger("dcgm", page + "DCGM_FI_PROF_GR_ENGINE_ACTIVE, scale: \"100\", threshold: \"60\"", "Value"),
         "avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE) * 100", "60", "Value"},
        {own_trigger("dcgm", page + "memory_pressure, threshold: \"80\"", "Value"),
         "sum(DCGM_FI_DEV_FB_USED) / (sum(DCGM_FI_DEV_FB_USED) + sum(DCGM_FI_DEV_FB_FREE))", "80", "Value"},
        {own_trigger("dcgm", page + "DCGM_FI_DEV_GPU_UTIL, threshold: \"0.8\"", "Value"), "avg(DCGM_FI_DEV_GPU_UTIL)",
         "0.8", "Value"},
        {own_trigger("nvml", "metric: gpu_utilization, threshold: \"70\""), "avg(DCGM_FI_DEV_GPU_UTIL)", "70", ""},
        {own_trigger("nvml", "metric: memory_used_ratio, threshold: \"80\"", "Value"), "avg(vllm:kv_cache_usage_perc)",
         "80", "Value"},
        {own_trigger("metrics-api",
                     "url: \"http://x/metrics\", format: prometheus, valueLocation: 'DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"}', "
                     "targetValue: \"0.8\"",
                     "Value"),
         "max(DCGM_FI_DEV_GPU_UTIL)", "0.8", "Value"},
    };
    for (const auto& pair : pairs) {
        EXPECT_EQ(codes(scaled_object(pair.own)), codes(scaled_object(trigger(pair.query, pair.threshold, pair.type))))
            << pair.own;
    }
    EXPECT_EQ(codes(scaled_object(pairs[0].own)), (std::vector<std::string>{"average-divided"}));
    EXPECT_EQ(codes(scaled_object(pairs[4].own)), (std::vector<std::string>{"target-beyond-range"}));
}

TEST(MetricFindings, AReducerBesideTheQueryCountsToo) {
    const std::string reduced =
        "    - type: prometheus\n      metadata: {serverAddress: \"http://p:9090\", query: x, threshold: "
        "\"5\", ignoreNullValues: \"false\", gputide.io/reduce: avg}\n";
    EXPECT_TRUE(told(scaled_object(reduced), "average-divided"));
}

TEST(MetricFindings, NamesThatTheServerDoesNotHaveAnyMore) {
    const auto removed = [](const std::string& query) {
        return told(scaled_object(trigger(query, "0.8", "Value")), "metric-removed");
    };
    EXPECT_TRUE(removed("avg(vllm:gpu_cache_usage_perc)"));
    EXPECT_TRUE(removed("avg(vllm_gpu_cache_usage_perc)"));
    EXPECT_TRUE(removed("histogram_quantile(0.9, sum by (le) (rate(vllm:time_per_output_token_seconds_bucket[5m])))"));
    EXPECT_TRUE(removed("avg(llamacpp:kv_cache_usage_ratio)"));
    EXPECT_FALSE(removed("avg(vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc)"));
    EXPECT_FALSE(
        removed("histogram_quantile(0.9, sum by (le) (rate(vllm:inter_token_latency_seconds_bucket[5m]) or "
                "rate(vllm:time_per_output_token_seconds_bucket[5m])))"));
    EXPECT_FALSE(removed("avg(gpu_cache_usage_perc)"));  // NIM's
    const checked seen =
        check_manifest({{"so.yaml", scaled_object(trigger("avg(vllm:gpu_cache_usage_perc)", "80", "Value"))}}, {});
    const std::string lines = render(seen.report);
    for (const char* part : {"vLLM has no vllm:gpu_cache_usage_perc from 0.12.0 on", "write vllm:kv_cache_usage_perc",
                             "goes from 0 to 1, and the target is 80", "the target is never reached"}) {
        EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
    }
}

TEST(MetricFindings, BothNamesOfAMetricAddedUp) {
    EXPECT_TRUE(
        told(scaled_object(trigger("sum(llm_d_epp_request_running) + sum(inference_objective_running_requests)", "5")),
             "same-metric-twice"));
    EXPECT_FALSE(
        told(scaled_object(trigger("sum(llm_d_epp_request_running) or sum(inference_objective_running_requests)", "5")),
             "same-metric-twice"));
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

// The HPA itself takes the average of the pods' values.
TEST(MetricFindings, APodsMetricIsNotDividedOnceMore) {
    const auto pods = [](const char* name) {
        return hpa(std::string("{type: Pods, pods: {metric: {name: ") + name +
                   "}, target: {type: AverageValue, averageValue: 60}}}");
    };
    EXPECT_FALSE(told(pods("gpu_utilization"), "average-divided"));
    EXPECT_FALSE(told(pods("prometheus.googleapis.com|DCGM_FI_DEV_GPU_UTIL|gauge"), "average-divided"));
}

// For an External metric by its name the HPA adds up all series, which may be one per pod.
TEST(MetricFindings, AnExternalMetricByNameMayBeSeveralSeries) {
    EXPECT_FALSE(told(hpa("{type: External, external: {metric: {name: dcgm_gpu_utilization}, target: {type: "
                          "AverageValue, averageValue: 70}}}"),
                      "average-divided"));
}

TEST(MetricFindings, AResourceThatTheMetricsApiDoesNotHave) {
    const auto resource = [](const char* name) {
        return hpa(std::string("{type: Resource, resource: {name: ") + name +
                   ", target: {type: Utilization, averageUtilization: 80}}}");
    };
    EXPECT_TRUE(told(resource("nvidia.com/gpu"), "resource-not-measured"));
    EXPECT_FALSE(told(resource("cpu"), "resource-not-measured"));
    EXPECT_FALSE(told(resource("memory"), "resource-not-measured"));
}

TEST(MetricFindings, AnElementForEachPod) {
    EXPECT_TRUE(told(scaled_object(trigger("vllm:num_requests_waiting", "5")), "several-elements"));
    EXPECT_TRUE(told(scaled_object(trigger("avg(x) by (pod)", "5")), "several-elements"));
    EXPECT_FALSE(told(scaled_object(trigger("avg(x) by (pod)", "5")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("sum(vllm:num_requests_waiting)", "5")), "several-elements"));
    EXPECT_FALSE(
        told(scaled_object(trigger("vllm:num_requests_waiting", "5"), "  maxReplicaCount: 1\n"), "several-elements"));
    std::string reduced = scaled_object(trigger("vllm:num_requests_waiting", "5"));
    reduced.replace(reduced.find("ignoreNullValues"), 16, "gputide.io/reduce: sum, ignoreNullValues");
    EXPECT_FALSE(told(reduced, "several-elements"));
}

TEST(MetricFindings, TheLargestOfThePodsIsOnePodsNumber) {
    EXPECT_TRUE(told(scaled_object(trigger("max(vllm:num_requests_waiting)", "5")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("max(vllm:num_requests_waiting)", "5", "Value")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger("max(queue)", "5")), "average-divided"));
}

// External scalers read numbers as Go does.
TEST(MetricFindings, AnExternalTriggersTargetMayBeginWithItsPoint) {
    const auto external = [](const char* target) {
        return scaled_object(std::string("    - type: external\n      metadata: {scalerAddress: \"s:4318\", "
                                         "targetValue: \"") +
                             target + "\"}\n");
    };
    EXPECT_FALSE(told(external(".5"), "target-not-positive"));
    EXPECT_TRUE(told(external("0"), "target-not-positive"));
}

// llm-d's endpoint picker gives its pool's saturation as one number.
TEST(MetricFindings, APoolsSaturationIsAnAverage) {
    const std::string query = "max(llm_d_epp_flow_control_pool_saturation)";
    EXPECT_TRUE(told(scaled_object(trigger(query, "0.7")), "average-divided"));
    EXPECT_FALSE(told(scaled_object(trigger(query, "0.7", "Value")), "average-divided"));
}

// The router in front of the pods counts what arrives while there is none.
TEST(MetricFindings, TheRouterWakesTheWorkload) {
    EXPECT_FALSE(told(scaled_object(trigger("sum(vllm:num_requests_waiting)", "5") +
                                        trigger("sum(rate(vllm:num_incoming_requests_total[1m]))", "1"),
                                    "  minReplicaCount: 0\n"),
                      "nothing-wakes-it"));
}

TEST(MetricFindings, AnErrorElsewhereHidesNoFaultOfAQuery) {
    const std::string other = "    - type: redis\n      metadata: {address: \"r:6379\"}\n";
    EXPECT_TRUE(told(scaled_object(trigger("avg(a)", "70") + other), "average-divided"));
    std::string text = scaled_object(trigger("avg(a)", "70"));
    text += "      authenticationRef: {name: in-another-file}\n";
    EXPECT_TRUE(told(text, "missing-authentication"));
    EXPECT_TRUE(told(text, "average-divided"));
}

std::string all_text(const std::string& manifest) {
    std::string out;
    for (const text::finding& finding : check_manifest({{"so.yaml", manifest}}, {}).report.findings)
        out += finding.code + ": " + finding.message + ": " + finding.remedy + "\n";
    return out;
}

TEST(MistakesOfPlace, AreNamedWithTheRightPlace) {
    const std::string below =
        "    - type: prometheus\n      metadata: {serverAddress: \"http://p:9090\", query: 'sum(x)', threshold: \"1\", "
        "metricType: Value}\n";
    EXPECT_NE(all_text(scaled_object(below)).find("outside metadata, as spec.triggers[0].metricType"),
              std::string::npos);
    const std::string reference =
        "    - type: prometheus\n      metadata:\n        serverAddress: \"http://p:9090\"\n        query: sum(x)\n    "
        "    "
        "threshold: \"1\"\n        authenticationRef: {name: auth}\n";
    EXPECT_NE(all_text(scaled_object(reference))
                  .find("move authenticationRef out of metadata, to spec.triggers[0].authenticationRef"),
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

TEST(MistakesOfPlace, AnAnnotationOfTheOldHpa) {
    std::string text = hpa("{type: External, external: {metric: {name: q}, target: {type: Value, value: 5}}}");
    const std::size_t at = text.find("{gputide.io/");
    text.insert(at + 1, "autoscaling.alpha.kubernetes.io/behavior: \"{}\", ");
    EXPECT_TRUE(told(text, "unknown-annotation"));
}

TEST(MistakesOfPlace, AKubernetesLabelInAQuery) {
    EXPECT_TRUE(told(scaled_object(trigger("sum(x{app.kubernetes.io/name=\"a\"})", "1")), "label-not-a-name"));
    EXPECT_FALSE(told(scaled_object(trigger("sum(x{app_kubernetes_io_name=\"a\"})", "1")), "label-not-a-name"));
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
                  .find("cpu_metric is a cpu or memory trigger"),
              std::string::npos);
}

}  // namespace
}  // namespace gputide::pipeline
