// The releases that a cluster runs reach the decisions, and in shadow explain a difference.
#include "on_a_cluster.hpp"

namespace gputide::kubernetes {
namespace {

struct releases : on_a_cluster {
    void run_kubernetes(const std::string& version) {
        server.pages["/version"] = R"({"gitVersion":")" + version + R"("})";
    }
    void run_keda(const std::string& tag) {
        server.pages["name%3Dkeda-operator"] =
            R"({"items":[{"metadata":{"namespace":"keda"},"spec":{"template":{"spec":{"containers":[)"
            R"({"name":"keda-operator","image":"ghcr.io/kedacore/keda:)" +
            tag + R"("}]}}}}]})";
    }
    std::string rules() const {
        return manifest::version_text(manifest::original::kubernetes, decided_by.kubernetes) + " " +
               manifest::version_text(manifest::original::keda, decided_by.keda);
    }
    bool describes(const std::string& text) const { return cluster->describe().find(text) != std::string::npos; }
};

TEST_F(releases, those_of_the_cluster_hold_where_a_manifest_names_none) {
    run_kubernetes("v1.36.3");
    run_keda("2.20.2");
    put_scaler();
    attach();
    EXPECT_EQ(rules(), "1.36 2.20");
    EXPECT_TRUE(describes(R"("keda":{"rules":"2.20","from":"image","found":"2.20.2","message":""})"))
        << cluster->describe();
    put_scaler(R"("gputide.io/keda-version":"2.21")");
    run(3'000);
    EXPECT_EQ(rules(), "1.36 2.21") << "the manifest's own wins";
}

TEST_F(releases, the_hosts_choice_wins_over_what_was_found) {
    run_kubernetes("v1.36.3");
    settings.hpa_version = 34;
    put_scaler();
    attach();
    EXPECT_EQ(rules(), "1.34 2.21");
    EXPECT_TRUE(describes(R"("hpa":{"rules":"1.34","from":"settings","found":"v1.36.3")")) << cluster->describe();
}

TEST_F(releases, an_upgrade_of_the_cluster_is_found) {
    run_keda("2.20.2");
    put_scaler();
    attach();
    run_keda("2.21.0");
    run(600'000);
    EXPECT_EQ(rules(), "1.37 2.21");
    server.pages.clear();
    run(600'000);
    EXPECT_TRUE(describes(R"("found":"2.21.0")")) << "a search that finds nothing takes nothing away";
}

TEST_F(releases, a_version_that_was_refused_is_asked_for_again_soon) {
    put_scaler();
    attach();
    EXPECT_EQ(rules(), "1.37 2.21");
    run_kubernetes("v1.36.3");
    run(65'000);
    EXPECT_EQ(rules(), "1.36 2.21");
}

TEST_F(releases, an_answer_that_finds_no_memory_is_asked_for_again) {
    run_kubernetes("v1.36.3");
    put_scaler();
    clusters_loop->lost_method = "GET";
    clusters_loop->lost = "/version";
    EXPECT_THROW(attach(), std::bad_alloc);
    run(30'000);  // its timeout, and the time after which a request counts as lost
    EXPECT_EQ(clusters_loop->losses, 1);
    EXPECT_EQ(rules(), "1.36 2.21");
}

// a fails from 313 s on, and its fallback wants 15: by the rules of 2.20 both halves count its failures, by those of 2.21 each read
// counts once, so that its fallback begins later.  The HPA of a cluster with 2.20 wants 15 meanwhile.
TEST_F(releases, shadow_names_the_one_that_explains_a_difference) {
    const auto put_rival = [this](int desired) {
        server.put("horizontalpodautoscalers", "keda-hpa-llm", "",
                   R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"llm"}},"status":{)"
                   R"("desiredReplicas":)" +
                       std::to_string(desired) + "}");
    };
    run_keda("2.21.0");
    server.load = 40;
    server.put(
        "scaledobjects", "llm", R"(,"annotations":{"gputide.io/sync-period":"1s","gputide.io/profile":"strict"})",
        R"("spec":{"scaleTargetRef":{"name":"llm"},"pollingInterval":1,"minReplicaCount":1,"maxReplicaCount":20,)"
        R"("fallback":{"failureThreshold":10,"replicas":15},"advanced":{"horizontalPodAutoscalerConfig":{"behavior":)"
        R"({"scaleUp":{"policies":[{"type":"Pods","value":100,"periodSeconds":15}]}}}},"triggers":[)" +
            prometheus("http://127.0.0.1:9090", "a") + "," + prometheus("http://127.0.0.1:9091", "b") + "]}");
    put_rival(8);
    settings.shadow = true;
    settings.sync_ms = 1'000;
    attach();
    run(310'000);
    EXPECT_TRUE(describes(R"("differences":0)")) << cluster->describe();
    server.failing_query = "a";
    run(7'000);
    put_rival(15);
    run(9'000);
    std::string told;
    while (const auto event = fleet.take_event())
        if (event->report.find(R"("event":"difference")") != std::string::npos) told = event->report;
    EXPECT_NE(told.find(R"("ours":8,"theirs":15)"), std::string::npos) << told;
    EXPECT_NE(told.find(R"("explained_by":"the rules of KEDA 2.20")"), std::string::npos) << told;
}

}  // namespace
}  // namespace gputide::kubernetes
