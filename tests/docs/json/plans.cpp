// The planners: replays, forecasts, nodes and right-sizing.
#include "texts.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// Recorded days: open and closed, with what they came to, and a log that is decided again.
namespace {

constexpr char manifest_spec[] = R"("idleReplicaCount":0,"minReplicaCount":1,"maxReplicaCount":5,)";

gputide::series two_hours() {
    gputide::series out;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    std::vector<std::int32_t> sizes;
    for (int i = 0; i < 480; ++i) {
        times.push_back(start_ms + i * 15'000);
        values.push_back(i % 120 < 60 ? 95.0 : 0.0);
        sizes.push_back(2);
    }
    out.add(0, times, values);
    times.erase(times.begin());  // the first size is known a step later
    sizes.pop_back();
    out.add_replicas(times, sizes);
    return out;
}

void show_run(const std::string& manifest, const std::string& settings, const gputide::series& series) {
    gputide::replay run = gputide::replay::open(manifest, settings);
    run.run(series);
    show("replay_report", run.report());
}

// The log of a scaler that was run with reports.
std::string log_of(const std::string& manifest) {
    const gputide::policy policy = gputide::policy::open(manifest);
    gputide::state state(policy);
    std::string out, report;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t now_ms = start_ms + i * 30'000;
        state.decide(policy, gputide::observation{}.at(now_ms).current(1).sample(gputide::value_sample(2, now_ms)),
                     &report);
        out += report + "\n";
    }
    return out;
}

// Three days in which ten minutes of each hour are five times the rest: the last one replayed, those before it its forecast's past.
void show_forecast_run() {
    gputide::series series;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (int minute = 0; minute < 3 * 1440 - 4; ++minute) {
        times.push_back(start_ms + minute * 60'000);
        values.push_back(minute % 60 < 10 ? 100 : 20);
    }
    series.add(0, times, values);
    show_run(
        scaled_object("ahead", R"({"type":"values","metadata":{"threshold":"5"}})",
                      R"("minReplicaCount":1,"maxReplicaCount":40,)"),
        R"({"from_ms":)" + std::to_string(start_ms + 2 * 86'400'000) +
            R"(,"chart_points":10,"set":{"forecast":"act","forecast_history_ms":172800000,"forecast_budget_percent":100}})",
        series);
}

}  // namespace

void show_replays() {
    show_forecast_run();
    const std::string object =
        scaled_object("day", R"({"type":"values","metadata":{"threshold":"40"}})", manifest_spec);
    const std::string hpa = autoscaler(
        "day",
        R"({"type":"External","external":{"metric":{"name":"load"},"target":{"type":"AverageValue","averageValue":"40"}}})");
    gputide::series series = two_hours();
    show("series_describe", series.describe());
    show_run(object, R"({"chart_points":50})", series);
    show_run(object, R"({"model":"closed","signal":"utilization","chart_points":50,"startup_ms":[60000]})", series);
    show_run(object, R"({"model":"closed","signal":"utilization"})", series);  // warns: no start-up delay
    show_run(hpa, "{}", series);
    show_run(scaled_object("formula", R"({"type":"values","name":"load","metadata":{"threshold":"40"}})",
                           R"("advanced":{"scalingModifiers":{"formula":"load * 2","target":"80"}},)"),
             "{}", series);
    gputide::series log;
    const std::string text = log_of(object);
    log.read(0, text);
    log.read(GPUTIDE_NO_METRIC, text);
    show("series_describe", log.describe());
    show_run(object, R"({"verify":true})", log);
}

// A forecast that has learned for two days, and one after a slot without a reading.

namespace {

gputide::policy forecasting(const std::string& annotations) {
    return gputide::policy::open(scaled_object("ahead", R"({"type":"values","metadata":{"threshold":"5"}})",
                                               R"("minReplicaCount":1,"maxReplicaCount":40,)", annotations));
}

// Two days in which ten minutes of each hour are five times the rest, and the decision before such a time.
void show_forecast_in_decisions() {
    const gputide::policy policy =
        forecasting(R"("gputide.io/forecast":"act","gputide.io/forecast-warmup":"1h","gputide.io/forecast-budget":"100",
            "gputide.io/sync-period":"60s")");
    show("policy_describe", policy.describe());
    show("policy_describe",
         forecasting(R"("gputide.io/forecast":"observe","gputide.io/forecast-budget":"none")").describe());
    gputide::state state(policy);
    std::int32_t size = 4;
    for (int minute = 0; minute < 2 * 1440 - 4; ++minute) {
        gputide::observation seen = gputide::observation{}.at(start_ms + minute * 60'000).current(size);
        seen.sample(gputide::value_sample(minute % 60 < 10 ? 100 : 20));
        std::string report;
        size = state.decide(policy, seen, &report).desired();
        if (minute % 1440 > 1434 || minute < 2) show("decision", report);
    }
    show("state_describe", state.describe(policy));
}

}  // namespace

void show_forecasts() {
    show_forecast_in_decisions();
    gputide::forecast forecast = gputide::forecast::open(R"({"warmup_ms":3600000,"budget_percent":100})");
    show("forecast_describe", forecast.describe());
    for (int minute = 0; minute < 2 * 1440; ++minute) {
        const int reactive = minute % 60 < 10 ? 20 : 4;
        forecast.add(start_ms + minute * 60'000, 5 * reactive);
        forecast.charge(forecast.floor(5, reactive, reactive, 40).replicas, reactive);
    }
    show("forecast_describe", forecast.describe());
    show("forecast_describe", gputide::forecast::open(R"({"budget_percent":null})").describe());
}

// Plans for GPU nodes: pools that grow, pods that are left, nodes that may go and those that stay.

void show_nodes() {
    const std::string pools = R"({"pools":[
        {"id":"gpu","size":2,"max":3,"price_per_hour":6.98,"allocatable":{"cpu":40000,"memory":343597383680,"pods":110,"nvidia.com/gpu":1},
         "labels":{"agentpool":"gpu"},"taints":[{"key":"sku","value":"gpu","effect":"PreferNoSchedule"}]},
        {"id":"full","size":1,"max":1,"price_per_hour":1,"allocatable":{"cpu":4000,"memory":343597383680}}]})";
    const std::string cluster = R"({"nodes":[
        {"name":"idle","pool":"gpu","allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}},
        {"name":"light","pool":"full","allocatable":{"cpu":4000,"memory":343597383680},
         "pods":[{"name":"small","requests":{"cpu":100}}]},
        {"name":"bare","pool":"full","allocatable":{"cpu":4000,"memory":343597383680},
         "pods":[{"name":"alone","owner":null,"requests":{"cpu":100}}]}],
        "groups":[{"name":"fits","count":1,"pod":{"requests":{"cpu":1000}}},
                  {"name":"waits","count":4,"pod":{"requests":{"nvidia.com/gpu":1}}},
                  {"name":"low","count":1,"pod":{"priority":-20,"requests":{"cpu":90000}}},
                  {"name":"never","count":1,"pod":{"gang":"all","requests":{"nvidia.com/gpu":9}}},
                  {"name":"large","count":1,"pod":{"requests":{"nvidia.com/gpu":9}}}],
        "options":{"unknown":"1"}})";
    const gputide::nodes_plan first = gputide::plan_nodes(pools + cluster, "", start_ms);
    show("nodes_plan", first.json);
    // Nothing waits any more, and nodes came a moment ago: nothing goes yet.
    const std::string later =
        R"({"nodes":[{"name":"idle","pool":"gpu","allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}}],
        "events":[{"kind":"added","pool":"gpu","nodes":1}]})";
    show("nodes_plan", gputide::plan_nodes(pools + later, first.state, start_ms + 60'000).json);
    const std::string no_price =
        R"({"pools":[{"id":"p","size":1,"max":2,"allocatable":{"cpu":1000,"nvidia.com/gpu":1}}],
        "nodes":[{"name":"n","pool":"p","allocatable":{"cpu":1000,"nvidia.com/gpu":1}}],
        "groups":[{"name":"g","count":2,"pod":{"requests":{"nvidia.com/gpu":1}}}]})";
    show("nodes_plan", gputide::plan_nodes(no_price, "", start_ms).json);
    // A placeholder pod holds the node that the group needs, and a pod is spread in a way that is not described.
    const std::string held =
        R"({"pools":[{"id":"p","size":1,"max":2,"allocatable":{"cpu":1000,"nvidia.com/gpu":1}}],
        "nodes":[{"name":"n","pool":"p","allocatable":{"cpu":1000,"nvidia.com/gpu":1}}],
        "pods":[{"name":"placeholder","node":"n","labels":{"gputide.io/placeholder":"p"},"requests":{"nvidia.com/gpu":1}}],
        "groups":[{"name":"g","count":1,"pod":{"requests":{"nvidia.com/gpu":1}}},
                  {"name":"spread","count":1,"pod":{"requests":{"cpu":100},"spread":true}}]})";
    show("nodes_plan", gputide::plan_nodes(held, "", start_ms).json);
    // One pod moves, so that a node is free for the pod that needs a whole one.
    const std::string scattered =
        R"({"pools":[{"id":"p","size":2,"max":3,"allocatable":{"cpu":1000,"nvidia.com/gpu":2}}],
        "nodes":[{"name":"a","pool":"p","allocatable":{"cpu":1000,"nvidia.com/gpu":2},
                  "pods":[{"name":"x","requests":{"nvidia.com/gpu":1}}]},
                 {"name":"b","pool":"p","allocatable":{"cpu":1000,"nvidia.com/gpu":2},
                  "pods":[{"name":"y","requests":{"nvidia.com/gpu":1}}]}],
        "groups":[{"name":"g","count":1,"pod":{"requests":{"nvidia.com/gpu":2}}}]})";
    show("nodes_plan", gputide::plan_nodes(scattered, "", start_ms).json);
}

// A ScaledJob's poll: jobs that are created, one that goes, and events.
void show_jobs() {
    const std::string manifest = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},
        "spec":{"jobTargetRef":{"template":{}},"successfulJobsHistoryLimit":0,
        "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}})";
    const std::string seen = R"({"values":[12.5],"was_active":false,
        "jobs":[{"name":"a","pending":true},{"name":"b","ended":"complete","ended_ms":1}]})";
    show("scaled_job_decide", gputide::decide_scaled_job(manifest, seen));
}

// A node pool of AKS that would grow, asked of the server of json_test.py.
void show_agent_pools(const surroundings& around) {
    char folder[] = "/tmp/gputide-docs-XXXXXX";
    if (mkdtemp(folder) == nullptr) throw std::runtime_error("no folder for a token");
    std::ofstream(std::string(folder) + "/token") << "a-token-without-an-end";
    const std::string identity =
        "apiVersion: keda.sh/v1alpha1\nkind: TriggerAuthentication\nmetadata: {name: a}\nspec:\n"
        "  podIdentity: {provider: bearer-file}\n"
        "  configMapTargetRef: [{parameter: tokenFile, name: c, key: file}]\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {file: token}\n";
    const auto credential = gputide::credential::open(identity, gputide::options().secrets_dir(folder));
    show("agent_pool_write",
         credential.write_agent_pool(
             R"({"cluster":"/subscriptions/s/resourceGroups/g/providers/)"
             R"(Microsoft.ContainerService/managedClusters/aks","pool":"gpunp","min":1,"endpoint":")" +
                 around.server + R"("})",
             10'000));
    std::filesystem::remove_all(folder);
}

// The needs of a workload: a GPU's, with machines, slices and sharing; one that the VPA would size.

namespace {

constexpr char gpu_settings[] = R"({
  "sku": "A100", "name": "chat", "mps": true,
  "skus": [{"name": "A100", "gpu_model": "A100", "gpu_memory_bytes": "80G", "price_per_hour": 3.67},
           {"name": "T4", "gpu_model": "T4", "gpu_memory_bytes": "16G", "speed": 0.2}]})";

constexpr char priceless_settings[] = R"({
  "sku": "A100", "mps": true, "skus": [{"name": "A100", "gpu_model": "A100", "gpu_memory_bytes": "80G"}]})";

// Its findings come out.
constexpr char misspelt[] =
    R"({"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": "chat"},
  "spec": {"resourcePolicy": {"containerPolicies": [{"containerName": "app", "maxResources": {"nvidia.com/gpu": 2}}]}}})";

gputide_usage_sample sample(int minute, double busy, std::int64_t bytes) {
    gputide_usage_sample out{};
    out.time_ms = start_ms + minute * 60'000;
    out.flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY;
    out.busy = busy;
    out.memory_bytes = bytes;
    return out;
}

void fill(gputide::rightsize& rightsize, double busy, std::int64_t bytes) {
    std::vector<gputide_usage_sample> samples;
    for (int minute = 0; minute <= 1440; ++minute) samples.push_back(sample(minute, busy, bytes));
    rightsize.add(samples);
}

}  // namespace

void show_rightsizing() {
    constexpr std::int64_t now_ms = start_ms + 86'400'000;
    gputide::rightsize gpu(gpu_settings);
    show("rightsize_describe", gpu.describe());
    show("rightsize_recommend", gpu.recommend(now_ms));  // nothing is known yet
    fill(gpu, 20.0, 5'000'000'000);
    show("rightsize_recommend", gpu.recommend(now_ms));
    show("rightsize_fit", gpu.fit(5'000'000'000, 20.0));
    show("rightsize_fit", gpu.fit(500'000'000'000, 20.0));  // nothing holds it
    gputide::rightsize unknown("{}");
    fill(unknown, 20.0, 5'000'000'000);
    show("rightsize_describe", unknown.describe());
    show("rightsize_recommend", unknown.recommend(now_ms));
    show("rightsize_fit", unknown.fit(5'000'000'000, 20.0));
    gputide::rightsize priceless(priceless_settings);
    fill(priceless, 20.0, 5'000'000'000);
    show("rightsize_recommend", priceless.recommend(now_ms));
    show("rightsize_fit", priceless.fit(5'000'000'000, 20.0));
    gputide::rightsize sliced(R"({"gpu_model": "A100", "gpu_memory_bytes": "80G"})");
    fill(sliced, 20.0, 5'000'000'000);
    show("rightsize_recommend", sliced.recommend(now_ms));
    show("rightsize_describe", gputide::rightsize(misspelt).describe());
    gputide::rightsize vpa(R"({"profile": "vpa", "container": "app"})");
    fill(vpa, 0.5, 1'000'000'000);
    show("rightsize_recommend", vpa.recommend(now_ms));
}
