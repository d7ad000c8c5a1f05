// Plans for GPU nodes: pools that grow, pods that are left, nodes that may go and those that stay.
#include "texts.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
