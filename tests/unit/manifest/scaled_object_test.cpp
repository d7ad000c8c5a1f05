// ScaledObjects: every field and default, what KEDA refuses, and the slips that people make.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

using text::severity;

const char* const full = R"(apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: llm
  namespace: ml
  creationTimestamp: 2026-11-21T10:00:00Z
  labels: {team: ml}
  annotations:
    autoscaling.keda.sh/paused-scale-in: "true"
    gputide.io/profile: default
    gputide.io/reduce: max
    example.com/other: x
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: worker, envSourceContainerName: main}
  pollingInterval: 10
  cooldownPeriod: 60
  initialCooldownPeriod: 5
  idleReplicaCount: 0
  minReplicaCount: 2
  maxReplicaCount: 12
  fallback: {failureThreshold: 3, replicas: 4, behavior: currentReplicasIfHigher}
  advanced:
    restoreToOriginalReplicaCount: true
    scalingModifiers: {formula: "a + b", target: "5", activationTarget: "1", metricType: Value}
    horizontalPodAutoscalerConfig:
      name: keda-hpa-llm
      behavior:
        scaleDown:
          stabilizationWindowSeconds: 600
          policies: [{type: Percent, value: 50, periodSeconds: 60}]
          tolerance: 0.05
  triggers:
  - type: prometheus
    name: a
    useCachedMetrics: true
    metricType: Value
    metadata: {query: up, threshold: "5", gputide.io/reduce: p95, gputide.io/no-data: hold}
  - type: cron
    name: b
    metadata: {start: "0 8 * * *"}
)";

TEST(ScaledObject, ReadsEveryField) {
    const manifest::loaded got = load(full);
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_TRUE(got.report.findings.empty()) << found(got);
    const manifest::spec& spec = got.specs[0];
    EXPECT_EQ(spec.scaling.kind, manifest::manifest_kind::scaled_object);
    EXPECT_EQ(spec.scaling.name, "llm");
    EXPECT_EQ(spec.scaling.name_space, "ml");
    EXPECT_EQ(spec.scaling.target_kind, "StatefulSet");
    EXPECT_EQ(spec.scaling.target_name, "worker");
    EXPECT_EQ(spec.scaling.created_ms, 1'795'255'200'000);
    EXPECT_EQ(spec.scaling.polling_interval_s, 10);
    EXPECT_EQ(spec.scaling.cooldown_s, 60);
    EXPECT_EQ(spec.scaling.initial_cooldown_s, 5);
    EXPECT_EQ(spec.scaling.idle, 0);
    EXPECT_EQ(spec.scaling.min, 2);
    EXPECT_EQ(spec.scaling.max, 12);
    EXPECT_EQ(spec.scaling.fallback->failure_threshold, 3);
    EXPECT_EQ(spec.scaling.fallback->replicas, 4);
    EXPECT_EQ(spec.scaling.fallback->behavior, manifest::fallback_behavior::current_replicas_if_higher);
    EXPECT_EQ(spec.scaling.modifiers->formula, "a + b");
    EXPECT_EQ(spec.scaling.modifiers->metric_type, manifest::target_type::value);
    EXPECT_EQ(spec.scaling.behavior->down.window_s, 600);
    EXPECT_EQ(spec.scaling.behavior->down.policies.size(), 1U);
    EXPECT_EQ(spec.scaling.behavior->down.tolerance, 0.05);
    EXPECT_EQ(spec.scaling.behavior->up.policies.size(), 2U);
    EXPECT_EQ(spec.scaling.behavior->up.tolerance, 0.1);
    EXPECT_TRUE(spec.scaling.pause.scale_in);
    EXPECT_FALSE(spec.scaling.pause.paused);
    ASSERT_EQ(spec.triggers.size(), 2U);
    EXPECT_EQ(spec.triggers[0].metric_type, manifest::target_type::value);
    EXPECT_TRUE(spec.triggers[0].use_cached_metrics);
    EXPECT_EQ(spec.triggers[0].metadata.count("gputide.io/reduce"), 0U);
    EXPECT_EQ(spec.triggers[1].index, 1);
    EXPECT_EQ(spec.triggers[1].label(), "trigger 1 (cron, b)");
    ASSERT_EQ(spec.triggers.size(), 2U);
    EXPECT_EQ(spec.triggers[0].rules.reduce, "p95");
    EXPECT_EQ(spec.triggers[0].rules.no_data, manifest::no_data_rule::hold);
    EXPECT_EQ(spec.triggers[1].rules.reduce, "max");
    EXPECT_EQ(spec.triggers[0].metadata_places.at("threshold").text(),
              "so.yaml:37 spec.triggers[0].metadata.threshold");
}

TEST(ScaledObject, FillsDefaults) {
    const manifest::loaded got = load(scaled_object());
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    const manifest::spec& spec = got.specs[0];
    EXPECT_EQ(spec.scaling.name_space, "default");
    EXPECT_EQ(spec.scaling.target_api_version, "apps/v1");
    EXPECT_EQ(spec.scaling.target_kind, "Deployment");
    EXPECT_EQ(spec.scaling.polling_interval_s, 30);
    EXPECT_EQ(spec.scaling.cooldown_s, 300);
    EXPECT_EQ(spec.scaling.min, std::nullopt);
    EXPECT_EQ(spec.scaling.hpa_min(), 1);
    EXPECT_EQ(spec.scaling.max, 100);
    EXPECT_FALSE(spec.scaling.behavior || spec.scaling.fallback || spec.scaling.modifiers || spec.scaling.created_ms);
    EXPECT_EQ(spec.triggers[0].metric_type, manifest::target_type::average_value);
}

struct refusal {
    const char* name;
    std::string text;
    const char* part;
};

std::string triggers(const char* rest) { return scaled_object(std::string("  triggers:\n") + rest); }

TEST(ScaledObject, RefusesWithPlaceAndReason) {
    const std::string one_trigger = "  - {type: prometheus, metadata: {}}\n";
    const std::vector<refusal> rows{
        {"empty file", "", "so.yaml:1:1: error: the text has no document"},
        {"only comments", "# nothing\n---\n", "the text has no document"},
        {"no kind", "apiVersion: keda.sh/v1alpha1\n", "the object has no kind"},
        {"a list at the top", "- a\n", "expected an object with apiVersion and kind, got a list"},
        {"a Deployment alone", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
         "kind \"Deployment\" of apps/v1 is not read: give a ScaledObject or a ScaledJob (keda.sh/v1alpha1), or a "
         "HorizontalPodAutoscaler"},
        {"a wrong version", "apiVersion: keda.sh/v1\nkind: ScaledObject\n", "write apiVersion: keda.sh/v1alpha1"},
        {"a version of KEDA 1", "apiVersion: keda.k8s.io/v1alpha1\nkind: ScaledObject\n",
         "write apiVersion: keda.sh/v1alpha1"},
        {"a misspelt kind", "apiVersion: keda.sh/v1alpha1\nkind: ScaledObjct\n", "did you mean ScaledObject?"},
        {"a ScaledJob without all", "apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\n", "metadata.name is required"},
        {"a VPA",
         "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nspec: {updatePolicy: {minReplicas: 2}}\n",
         "updatePolicy.minReplicas is not a lower bound"},
        {"no spec", "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x}\n", "spec is required"},
        {"no name",
         "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {scaleTargetRef: {name: w}, triggers: []}\n",
         "metadata.name is required"},
        {"a long name",
         "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: " + std::string(64, 'n') +
             "}\nspec: {scaleTargetRef: {name: w}, triggers: [{type: x, metadata: {}}]}\n",
         "has 64 characters, at most 63 are allowed"},
        {"a number in quotes", scaled_object("  minReplicaCount: \"2\"\n"),
         "so.yaml:12:3: error: minReplicaCount: expected a whole number, got text \"2\" (spec.minReplicaCount): remove "
         "the quotes"},
        {"a fraction", scaled_object("  maxReplicaCount: 2.5\n"), "expected a whole number, got a number \"2.5\""},
        {"beyond 32 bits", scaled_object("  maxReplicaCount: 2147483648\n"), "does not fit 32 bits"},
        {"beyond 64 bits", scaled_object("  maxReplicaCount: 99999999999999999999\n"), "expected a whole number"},
        {"polling interval 0", scaled_object("  pollingInterval: 0\n"), "pollingInterval must be at least 1, got 0"},
        {"max 0", scaled_object("  maxReplicaCount: 0\n"), "maxReplicaCount must be at least 1, got 0"},
        {"the HPA's word", scaled_object("  minReplicas: 2\n"),
         "minReplicas is not a field of this version and kind (spec.minReplicas): write minReplicaCount instead"},
        {"KEDA 1's word",
         "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x}\nspec: {scaleTargetRef: "
         "{deploymentName: w}, triggers: [{type: x, metadata: {}}]}\n",
         "write name instead"},
        {"no triggers", scaled_object("  triggers: []\n"), "no triggers defined in the ScaledObject/ScaledJob"},
        {"triggers as a mapping", scaled_object("  triggers: {type: x}\n"), "triggers: expected a list, got a mapping"},
        {"two names", triggers("  - {type: x, name: a, metadata: {}}\n  - {type: x, name: a, metadata: {}}\n"),
         "triggerName \"a\" is defined multiple times in the ScaledObject/ScaledJob, but it must be unique"},
        {"no metadata", triggers("  - {type: x}\n"), "a trigger's metadata is required"},
        {"no type", triggers("  - {metadata: {}}\n"), "spec.triggers[0].type is required"},
        {"a list in metadata", triggers("  - {type: x, metadata: {query: [a]}}\n"), "query: expected text, got a list"},
        {"cached cpu", triggers("  - {type: cpu, metadata: {value: \"5\"}, useCachedMetrics: true}\n"),
         "property \"useCachedMetrics\" is not supported for \"cpu\" scaler"},
        {"cpu alone and min 0", triggers("  - {type: cpu, metadata: {value: \"5\"}}\n"),
         "scaledobject has only cpu/memory triggers AND minReplica is 0"},
        {"Utilization", triggers("  - {type: x, metadata: {}, metricType: Utilization}\n"),
         "'Utilization' metric type is unsupported for external metrics, allowed values are 'Value' or 'AverageValue'"},
        {"another metric type", triggers("  - {type: x, metadata: {}, metricType: Total}\n"),
         "expected AverageValue or Value"},
        {"fallback without replicas", scaled_object("  fallback: {failureThreshold: 3}\n"),
         "fallback.replicas is required"},
        {"unknown fallback", scaled_object("  fallback: {failureThreshold: 3, replicas: 1, behavior: double}\n"),
         "\"double\" is not a fallback behavior"},
        {"fallback by a formula that is not there",
         scaled_object("  fallback: {failureThreshold: 3, replicas: 1, behavior: scalingModifiers}\n"),
         "requires scalingModifiers.formula to be defined"},
        {"modifiers without formula", scaled_object("  advanced: {scalingModifiers: {target: \"5\"}}\n"),
         "error ScalingModifiers.Formula is mandatory"},
        {"modifiers without target", scaled_object("  advanced: {scalingModifiers: {formula: a}}\n"),
         "formula is given but target is empty"},
        {"a target of 0", scaled_object("  advanced: {scalingModifiers: {formula: a, target: \"0\"}}\n"),
         "error converting target for scalingModifiers (string->float) to valid target"},
        {"a word as activation target",
         scaled_object("  advanced: {scalingModifiers: {formula: a, target: \"1\", activationTarget: x}}\n"),
         "scalingModifiers.ActivationTarget parsing error"},
        {"behavior out of range",
         scaled_object("  advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleUp: {stabilizationWindowSeconds: "
                       "3601}}}}\n"),
         "so.yaml:12:67: error: must be less than or equal to 3600 "
         "(spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.stabilizationWindowSeconds)"},
        {"two of one name", scaled_object() + "---\n" + scaled_object(),
         "the ScaledObject default/gpu is given twice, first at so.yaml:"},
        {"a bad time",
         "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x, creationTimestamp: now}\nspec: "
         "{scaleTargetRef: {name: w}, triggers: [{type: x, metadata: {}}]}\n",
         "creationTimestamp: expected a time such as"},
    };
    for (const refusal& row : rows) {
        const manifest::loaded got = load(row.text);
        EXPECT_TRUE(got.specs.empty()) << row.name;
        EXPECT_NE(found(got).find(row.part), std::string::npos) << row.name << "\n" << found(got);
    }
}

TEST(ScaledObject, WarnsAndGoesOn) {
    const std::vector<refusal> rows{
        {"an unknown key", scaled_object("  cooldownperiod: 5\n"),
         "unknown key \"cooldownperiod\", ignored (spec.cooldownperiod): did you mean \"cooldownPeriod\"?"},
        {"an unquoted number", triggers("  - {type: x, metadata: {threshold: 5}}\n"),
         "so.yaml:9:26: warning: threshold: expected text, got a number; the Kubernetes API server would refuse it "
         "(spec.triggers[0].metadata.threshold): write \"5\" with its quotes"},
        {"an unquoted boolean", triggers("  - {type: x, metadata: {unsafeSsl: yes}}\n"),
         "expected text, got a boolean"},
        {"an odd annotation", scaled_object("", "    autoscaling.keda.sh/paused: maybe\n"),
         "is not a boolean; KEDA treats it as true"},
        {"paused-replicas", scaled_object("", "    autoscaling.keda.sh/paused-replicas: \"many\"\n"),
         "failed to parse paused replica count"},
        {"a polling interval that decides nothing", scaled_object("  minReplicaCount: 1\n  pollingInterval: 5\n"),
         "PollingInterval is configured but is not relevant"},
        {"a cooldown that decides nothing", scaled_object("  minReplicaCount: 1\n  cooldownPeriod: 5\n"),
         "CooldownPeriod is configured but is not relevant"},
    };
    for (const refusal& row : rows) {
        const manifest::loaded got = load(row.text);
        EXPECT_EQ(got.specs.size(), 1U) << row.name << "\n" << found(got);
        EXPECT_EQ(got.report.count(severity::warning), 1U) << row.name << "\n" << found(got);
        EXPECT_NE(found(got).find(row.part), std::string::npos) << row.name << "\n" << found(got);
    }
}

// Before KEDA 2.21 its failed polls are what a fallback counts.
TEST(ScaledObject, APollingIntervalPacesAFallbackBefore221) {
    const std::string spec =
        "  minReplicaCount: 1\n  pollingInterval: 5\n  fallback: {failureThreshold: 3, replicas: 2}\n";
    EXPECT_EQ(found(load(scaled_object(spec))).find("how fast failures are counted"), std::string::npos);
    EXPECT_NE(found(load(scaled_object(spec, "    gputide.io/keda-version: \"2.20\"\n")))
                  .find("how fast failures are counted"),
              std::string::npos);
}

TEST(ScaledObject, AFormulaMakesAPollingIntervalRelevant) {
    const std::string spec =
        "  minReplicaCount: 1\n  pollingInterval: 5\n  advanced: {scalingModifiers: {formula: a + 1, target: \"2\"}}\n";
    EXPECT_EQ(found(load(scaled_object(spec))).find("not relevant"), std::string::npos);
    EXPECT_NE(found(load(scaled_object(spec, "    gputide.io/keda-version: \"2.20\"\n"))).find("not relevant"),
              std::string::npos);
}

TEST(ScaledObject, StandsBesideOtherObjects) {
    const std::string deployment =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: worker}\nspec: {replicas: 1}\n---\n";
    const std::string service = "apiVersion: v1\nkind: Service\nmetadata: {name: worker}\nspec: {}\n---\n";
    const manifest::loaded got = load(deployment + service + scaled_object());
    EXPECT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.report.count(severity::note), 1U) << "the Service alone: a Deployment's requests are read";
    EXPECT_EQ(got.report.count(severity::warning), 0U);
}

TEST(ScaledObject, ComesInAList) {
    const manifest::loaded got = load(R"({"apiVersion": "v1", "kind": "List", "items": [
 {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "a"},
  "spec": {"scaleTargetRef": {"name": "w"}, "triggers": [{"type": "x", "metadata": {}}], "bogus": 1}}]})");
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_NE(found(got).find("so.yaml:3:90: warning: unknown key \"bogus\", ignored (items[0].spec.bogus)"),
              std::string::npos)
        << found(got);
}

TEST(ScaledObject, HasItsWorkloadForItself) {
    std::string second = scaled_object();
    second.replace(second.find("name: gpu"), 9, "name: two");
    const manifest::loaded got = load(scaled_object() + "---\n" + second);
    EXPECT_NE(found(got).find(
                  "the workload 'worker' of type 'apps/v1.Deployment' is already managed by the ScaledObject 'gpu' "
                  "of so.yaml:"),
              std::string::npos);
    second.replace(second.find("name: worker"), 12, "name: others");
    EXPECT_EQ(load(scaled_object() + "---\n" + second).specs.size(), 2U);
}

TEST(ScaledObject, TakesTheHostsProfile) {
    manifest::surroundings host = usual_host();
    host.strict = true;
    const manifest::loaded got = load(scaled_object("", "    gputide.io/profile: standard\n"), host);
    ASSERT_EQ(got.specs.size(), 1U);
    EXPECT_EQ(got.specs[0].scaling.extra.profile, manifest::profile::strict);
}

}  // namespace
}  // namespace config_test
