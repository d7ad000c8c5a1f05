// Replicas that get no node: reported, and asked back where the host says so.
#include "base/time.hpp"
#include "on_a_cluster.hpp"

namespace gputide::kubernetes {
namespace {

struct full_cluster : on_a_cluster {
    void SetUp() override {
        on_a_cluster::SetUp();
        put_scaler({}, false);
        server.load = 42;  // 9 replicas
        server.max_ready = 2;
        server.pages["cluster-autoscaler-status"] =
            R"({"data":{"status":"nodeGroups:\n- name: aks-gpunp-1-vmss\n  health: {cloudProviderTarget: 2, maxSize: 2}\n"}})";
        server.pages["source%3Dkarpenter"] = list_of("");
        server.on_asked = [this](const http::request& asked) {
            for (const std::string part : {"/pods?", "/events?", "/configmaps/"})
                if (asked.method == "GET" && asked.url.find(part) != std::string::npos) ++requests;
            show_pods();
        };
    }
    static std::string list_of(const std::string& items) {
        return R"({"metadata":{"resourceVersion":"1"},"items":[)" + items + "]}";
    }
    // A pod for each replica without a node; the autoscaler adds none for it.
    void show_pods() {
        const std::int32_t size = server.size();
        if (size <= server.max_ready) since_ms = 0;
        if (size > server.max_ready && since_ms == 0) since_ms = loop->wall_ms();
        const std::string since = format_rfc3339_s(since_ms);
        std::string pods, events;
        for (std::int32_t i = server.max_ready; i < size; ++i) {
            const std::string uid = "u" + std::to_string(i);
            pods +=
                (pods.empty() ? "" : ",") +
                (R"({"metadata":{"name":"llm-1-)" + uid + R"(","namespace":"ml","uid":")" + uid) +
                R"(","labels":{"pod-template-hash":"1"},"ownerReferences":[{"kind":"ReplicaSet","name":"llm-1","controller":true}]},)"
                R"("spec":{},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
                R"("lastTransitionTime":")" +
                since + R"("}]}})";
            events += (events.empty() ? "" : ",") +
                      (R"({"metadata":{"name":"e)" + uid + R"("},"involvedObject":{"uid":")" + uid) +
                      R"("},"reason":"NotTriggerScaleUp","message":"1 max node group size reached","lastTimestamp":")" +
                      since + R"("})";
        }
        server.pages["/pods?"] = list_of(pods);
        server.pages["source%3Dcluster-autoscaler"] = list_of(refuses ? events : "");
    }
    bool says(const std::string& text) const { return cluster->describe().find(text) != std::string::npos; }

    std::int64_t since_ms = 0;  // Unix
    bool refuses = true;
    int requests = 0;  // about pods without nodes
};

TEST_F(full_cluster, a_part_without_nodes_is_reported_and_stays_wanted) {
    attach();
    run(20'000);
    EXPECT_EQ(server.size(), 9);
    EXPECT_TRUE(says(R"("no_capacity_count":0)")) << "one pass";
    run(40'000);
    EXPECT_TRUE(says(R"("no_capacity":[{"namespace":"ml","name":"llm","startable_replicas":2,"until_ms":0,)"
                     R"("message":"2 of 9 replicas can start: aks-gpunp-1-vmss is at its maximum of 2; )"
                     R"(1 max node group size reached"}],"no_capacity_count":1,"capacity_message":"")"))
        << cluster->describe();
    EXPECT_EQ(server.size(), 9);
    run(1'200'000);
    EXPECT_EQ(server.size(), 9) << "nothing is asked back unless the host says so";
    server.max_ready = 9;
    server.resize(9);
    run(20'000);
    EXPECT_TRUE(says(R"("no_capacity_count":0)"));
}

TEST_F(full_cluster, what_gets_no_node_in_time_is_asked_back_and_asked_for_again) {
    settings.asks_back = true;
    settings.start_ms = 60'000;
    attach();
    run(45'000);
    EXPECT_EQ(server.size(), 9) << "a node may still come";
    run(50'000);
    EXPECT_EQ(server.size(), 2);
    EXPECT_TRUE(says(R"("message":"replicas above 2 get no node and are not requested: )")) << cluster->describe();
    const std::size_t writes = server.sizes.size();
    run(30'000);
    EXPECT_EQ(server.sizes.size(), writes) << "it is not asked for meanwhile";
    run(35'000);
    EXPECT_EQ(server.size(), 9) << "and again after as long";
}

// As long as the autoscaler says nothing, a pod may still get its node.
TEST_F(full_cluster, without_a_word_of_the_autoscaler_time_tells) {
    refuses = false;
    settings.start_ms = 120'000;
    attach();
    run(100'000);
    EXPECT_TRUE(says(R"("no_capacity_count":0)"));
    run(60'000);
    EXPECT_TRUE(says(R"("no_capacity_count":1)"));
}

TEST_F(full_cluster, nothing_is_read_while_all_pods_are_ready) {
    server.max_ready = 20;
    attach();
    run(120'000);
    EXPECT_EQ(requests, 0);
    server.max_ready = 8;
    server.resize(9);
    run(60'000);
    EXPECT_GE(requests, 3 * 4);
    EXPECT_LE(requests, 4 * 4) << "each 15 s: pods, events of two autoscalers, and the status of one";
}

TEST_F(full_cluster, a_pod_of_a_rollout_beyond_the_size_is_not_missing) {
    server.max_ready = 20;
    attach();
    run(30'000);
    ASSERT_EQ(server.size(), 9);
    server.max_ready = 8;
    server.put("deployments", "llm", "", R"("spec":{"replicas":9},"status":{"replicas":10,"readyReplicas":8})");
    run(60'000);
    EXPECT_GT(requests, 0);
    EXPECT_TRUE(says(R"("no_capacity_count":0)")) << cluster->describe();
}

TEST_F(full_cluster, a_shadow_asks_nothing_back) {
    settings.shadow = true;
    settings.asks_back = true;
    settings.start_ms = 20'000;
    server.resize(9);
    attach();
    run(120'000);
    EXPECT_TRUE(says(R"("startable_replicas":2,"until_ms":0)")) << cluster->describe();
}

}  // namespace
}  // namespace gputide::kubernetes
