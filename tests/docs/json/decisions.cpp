// Policies, states, decisions and their traces: everything that needs no network.
#include "texts.hpp"

namespace {

// One policy with its state, decided and shown again and again.
class table {
  public:
    explicit table(const std::string& manifest) : policy_(gputide::policy::open(manifest)), state_(policy_) {
        show("policy_describe", policy_.describe());
    }

    gputide::decision decide(const gputide::observation& seen, bool records = true) {
        std::string report;
        gputide::decision out = state_.decide(policy_, seen, &report);
        show("decision", report);
        if (records && out.wants_write()) state_.record(policy_, out, true, out.c.now_ms);
        show("state_describe", state_.describe(policy_));
        return out;
    }

  private:
    gputide::policy policy_;
    gputide::state state_;
};

gputide::observation seen_at(std::int64_t offset_ms, std::int32_t replicas) {
    return gputide::observation{}.at(start_ms + offset_ms).current(replicas);
}

gputide_sample empty_as_zero() {
    gputide_sample out = gputide::value_sample(0, start_ms);
    out.flags = GPUTIDE_SAMPLE_NULL_AS_ZERO;
    return out;
}

gputide_sample nothing() { return gputide::failed_sample(GPUTIDE_SAMPLE_EMPTY, GPUTIDE_E_NO_DATA); }

gputide_sample failed() { return gputide::failed_sample(GPUTIDE_SAMPLE_FAILED, GPUTIDE_E_UNAVAILABLE, "away"); }

gputide_pod_sample use_of(std::int32_t metric, std::int32_t pod, std::int64_t milli) {
    gputide_pod_sample out{};
    out.metric = metric;
    out.pod = pod;
    out.value_milli = milli;
    out.request_milli = 1'000;
    return out;
}

gputide_pod running(const char* name) {
    gputide_pod out = gputide::pod(name, GPUTIDE_POD_RUNNING, GPUTIDE_READY_YES);
    out.start_time_ms = start_ms - 3'600'000;
    return out;
}

constexpr char values_trigger[] = R"({"type":"values","metadata":{"threshold":"5"}})";
constexpr char behavior[] = R"("advanced":{"horizontalPodAutoscalerConfig":{"behavior":{
    "scaleUp":{"stabilizationWindowSeconds":60,"policies":[{"type":"Pods","value":2,"periodSeconds":60}]},
    "scaleDown":{"policies":[{"type":"Percent","value":50,"periodSeconds":60}]}}})";

// Every rule of our own, a formula, a named trigger and one that is read from pods.
void show_all_rules() {
    table decisions(scaled_object(
        "rules",
        R"({"type":"values","name":"load","useCachedMetrics":true,
            "metadata":{"threshold":"5","activationThreshold":"1","gputide.io/max-sample-age":"1m"}},
           {"type":"cpu","metricType":"Utilization","metadata":{"value":"50"}})",
        std::string(R"("idleReplicaCount":0,"minReplicaCount":1,"maxReplicaCount":20,"cooldownPeriod":60,)") +
            behavior + R"(,"scalingModifiers":{"formula":"load * 2","target":"5","activationTarget":"1"}},)",
        R"("gputide.io/confirm":"2/3","gputide.io/group-size":"2","gputide.io/max-gpus":"9","gputide.io/in-flight-guard":"true",
           "gputide.io/cost-per-gpu-hour":"3.4","autoscaling.keda.sh/paused-scale-in":"false")"));
    for (std::int64_t at_ms = 0; at_ms < 120'000; at_ms += 15'000) {
        gputide::observation seen = seen_at(at_ms, 2 + static_cast<std::int32_t>(at_ms / 30'000));
        seen.existing(2).ready(1).sample(gputide::value_sample(30, start_ms + at_ms - 2'000)).sample({});
        const gputide_pod pod = running("a");
        seen.pod_sample(use_of(1, seen.pod(pod), 900));
        decisions.decide(seen);
    }
}

// Up in steps that the rate allows, between two passes, held while it goes down, and a clock that is set back.
void show_halves() {
    table decisions(scaled_object(
        "halves", values_trigger,
        std::string(R"("maxReplicaCount":20,"minReplicaCount":0,"cooldownPeriod":60,)") + behavior + "},"));
    std::int32_t replicas = 0;
    for (std::int64_t at_ms = 0; at_ms < 200'000; at_ms += 5'000) {
        const double value = at_ms < 100'000 ? 100 : 0;
        replicas =
            decisions.decide(seen_at(at_ms, replicas).sample(gputide::value_sample(value, start_ms + at_ms))).desired();
    }
    decisions.decide(seen_at(0, replicas).sample(gputide::value_sample(1, start_ms)));
    decisions.decide(seen_at(30'000, 25).sample(empty_as_zero()));
    decisions.decide(gputide::observation{}.at(start_ms + 60'000).unreadable());
}

// KEDA's poll between two passes takes what the last pass read.
void show_observed() {
    table decisions(scaled_object("observed", values_trigger, R"("minReplicaCount":1,"pollingInterval":10,)"));
    decisions.decide(seen_at(0, 2).sample(gputide::value_sample(10, start_ms)));
    decisions.decide(seen_at(10'000, 2).sample({}));
}

// A value that is missing: as it stands, with a fallback, under a no-data rule.
void show_failures() {
    const std::string fallback = R"("fallback":{"failureThreshold":1,"replicas":4},)";
    table kept(scaled_object("kept", R"({"type":"values","useCachedMetrics":true,"metadata":{"threshold":"5"}})",
                             R"("pollingInterval":30,)" + fallback));
    table ruled(
        scaled_object("ruled", R"({"type":"values","metadata":{"threshold":"5","gputide.io/no-data":"hold"}})"));
    table plain(scaled_object("plain", values_trigger));
    for (std::int64_t at_ms = 0; at_ms < 90'000; at_ms += 15'000) {
        const gputide_sample sample = at_ms < 30'000 ? gputide::value_sample(10, start_ms + at_ms) : failed();
        kept.decide(seen_at(at_ms, 2).sample(sample));
        ruled.decide(seen_at(at_ms, 2).sample(at_ms < 30'000 ? sample : nothing()));
        plain.decide(seen_at(at_ms, 2).sample(failed()));
    }
}

// An HPA's own metrics, from pods; some not read.
void show_pods() {
    const std::string metrics =
        R"({"type":"Pods","pods":{"metric":{"name":"gpu"},"target":{"type":"AverageValue","averageValue":"5"}}},
        {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}},
        {"type":"ContainerResource","containerResource":{"name":"memory","container":"main",
            "target":{"type":"AverageValue","averageValue":"1Gi"}}})";
    table decisions(autoscaler("pods", metrics, R"("gputide.io/in-flight-guard":"true")"));
    for (std::int64_t at_ms = 0; at_ms < 60'000; at_ms += 15'000) {
        gputide::observation seen = seen_at(at_ms, 2);
        seen.existing(4).ready(2);
        const gputide_pod first = running("a"), second = running("b");
        const std::int32_t a = seen.pod(first), b = seen.pod(second);
        for (const std::int32_t pod : {a, b}) seen.pod_sample(use_of(0, pod, 20'000)).pod_sample(use_of(1, pod, 900));
        decisions.decide(seen);
    }
}

void show_pause() {
    table decisions(scaled_object("paused", values_trigger, "", R"("autoscaling.keda.sh/paused-replicas":"3")"));
    decisions.decide(seen_at(0, 2).sample(gputide::value_sample(10)));
}

}  // namespace

void show_decisions() {
    show_all_rules();
    show_halves();
    show_observed();
    show_failures();
    show_pods();
    show_pause();
}
