// The releases that a cluster runs: what is asked, and what each answer comes to.
#include "kubernetes/api/versions.hpp"

#include "on_a_cluster.hpp"
#include "support.hpp"

#include <map>

namespace gputide::kubernetes {
namespace {

using manifest::original;

struct answer {
    std::int32_t status = 200;
    std::string body;
};

const std::string by_label = "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkeda-operator";
const std::string by_old_label = "/apis/apps/v1/deployments?labelSelector=app%3Dkeda-operator";
const std::string by_name = "/apis/apps/v1/deployments?fieldSelector=metadata.name%3Dkeda-operator";
const std::string definitions = "/openapi/v3/apis/keda.sh/v1alpha1";

std::string git_version(const std::string& version) { return R"({"gitVersion":")" + version + R"("})"; }

std::string deployment(const std::string& image, const std::string& name_space = "keda") {
    return R"({"metadata":{"namespace":")" + name_space +
           R"("},"spec":{"template":{"spec":{"containers":[{"name":"proxy","image":"proxy:1.0.0"},)"
           R"({"name":"keda-operator","image":")" +
           image + R"("}]}}}})";
}

std::string list(const std::string& items) { return R"({"metadata":{},"items":[)" + items + "]}"; }

std::string fields_of_authentication(const std::string& field) {
    return R"({"components":{"schemas":{"sh.keda.v1alpha1.TriggerAuthentication":{"properties":{"spec":{"properties":{")" +
           field + R"(":{}}}}}}}})";
}

struct VersionSearch : ::testing::Test {
    kubernetes::settings chosen;
    std::map<std::string, answer> answers;  // by path; none: 404
    std::vector<std::string> asked;

    found_versions search() {
        version_search search(chosen);
        asked.clear();
        while (const auto request = search.next()) {
            EXPECT_EQ(request->method, "GET");
            asked.push_back(request->target.url());
            const auto found = answers.find(asked.back());
            const answer given =
                found != answers.end() ? found->second : answer{404, testing::status_body(404, "NotFound")};
            search.take(judge(testing::answered(given.status, given.body), request->target));
        }
        return search.found();
    }
    std::string rules(const found_versions& found) const {
        const manifest::original_versions out = versions_for(chosen, found);
        return manifest::version_text(original::kubernetes, out.kubernetes) + " " +
               manifest::version_text(original::keda, out.keda);
    }
};

TEST_F(VersionSearch, TheServersAndTheOperatorsImage) {
    answers["/version"] = {200, git_version("v1.36.3")};
    answers[by_label] = {200, list(deployment("ghcr.io/kedacore/keda:2.20.2"))};
    const found_versions found = search();
    EXPECT_EQ(rules(found), "1.36 2.20");
    EXPECT_EQ(found.kubernetes.text, "v1.36.3");
    EXPECT_EQ(found.keda.text, "2.20.2");
    EXPECT_EQ(asked, (std::vector<std::string>{"/version", by_label})) << "nothing more is asked";
}

TEST_F(VersionSearch, OneInKedasNamespaceGoesBeforeOthers) {
    answers[by_label] = {200, list(deployment("k:2.21.0", "a") + "," + deployment("k:2.20.0", "keda"))};
    EXPECT_EQ(search().keda.text, "2.20.0");
    chosen.cluster_secrets_namespace = "a";
    EXPECT_EQ(search().keda.text, "2.21.0");
}

TEST_F(VersionSearch, DifferentOnesElsewhereTellNothing) {
    answers[by_label] = {200, list(deployment("k:2.20.0", "a-tenant") + "," + deployment("k:2.21.0", "kube-system"))};
    answers[definitions] = {200, fields_of_authentication("azureServicePrincipal")};
    EXPECT_EQ(search().keda.minor, 21);
    answers[by_label] = {200, list(deployment("k:2.20.0", "a") + "," + deployment("k:2.20.0", "kube-system"))};
    EXPECT_EQ(search().keda.text, "2.20.0");
}

TEST_F(VersionSearch, AnOperatorWithTheOldLabelAlone) {
    answers[by_label] = {200, list("")};
    answers[by_old_label] = {200, list(deployment("keda:2.20.1", "kube-system"))};
    EXPECT_EQ(search().keda.text, "2.20.1");
}

TEST_F(VersionSearch, OfSomeNamespacesByNameAlone) {
    chosen.namespaces = {"ml"};
    answers[by_name] = {200, list(deployment("registry:5000/keda:v2.20.0@sha256:00"))};
    EXPECT_EQ(search().keda.text, "v2.20.0");
    EXPECT_EQ(asked, (std::vector<std::string>{"/version", by_name}));
}

TEST_F(VersionSearch, TheDefinitionsWhereTheOperatorMayNotBeRead) {
    chosen.namespaces = {"ml"};
    answers[by_name] = {403, testing::status_body(403, "Forbidden", "no right to it")};
    answers[definitions] = {200, fields_of_authentication("azureServicePrincipal")};
    const found_versions newer = search();
    EXPECT_EQ(newer.keda.minor, 21);
    EXPECT_EQ(newer.keda.origin, version_origin::definitions);
    EXPECT_FALSE(newer.keda.is_unknown);
    EXPECT_NE(newer.keda.message.find("no permission to read"), std::string::npos) << newer.keda.message;
    answers[definitions] = {200, fields_of_authentication("podIdentity")};
    EXPECT_EQ(search().keda.minor, 20);
}

TEST_F(VersionSearch, TheDefinitionsWhereTheImageNamesNoRelease) {
    answers[by_label] = {200, list(deployment("keda@sha256:00"))};
    answers[definitions] = {200, fields_of_authentication("podIdentity")};
    const found_versions found = search();
    EXPECT_EQ(found.keda.minor, 20);
    EXPECT_NE(found.keda.message.find("keda@sha256:00"), std::string::npos) << found.keda.message;
}

// A tenant may create a Deployment with the operator's label, and writes its image.
TEST_F(VersionSearch, AnImageIsShownOnOneLine) {
    for (const char* image : {R"(keda:2.20.0-\nready)", R"(keda:main\nready)"}) {
        answers[by_label] = {200, list(deployment(image))};
        const found_versions found = search();
        EXPECT_FALSE(found.keda.minor);
        EXPECT_EQ(describe_version(original::keda, chosen, found).find('\n'), std::string::npos);
    }
}

TEST_F(VersionSearch, NothingIsTheNewest) {
    answers["/version"] = {200, git_version("v0.0.0-master+$Format:%H$")};
    answers[by_label] = {200, "{"};
    answers[definitions] = {200, "[]"};
    const found_versions found = search();
    EXPECT_EQ(rules(found), "1.37 2.21");
    EXPECT_FALSE(found.kubernetes.minor);
    EXPECT_FALSE(found.keda.minor);
    EXPECT_EQ(found.kubernetes.message, R"("v0.0.0-master+$Format:%H$" is not a release of Kubernetes)");
}

TEST_F(VersionSearch, AReleaseThatIsNotKnownIsSaid) {
    answers["/version"] = {200, git_version("v1.52.0")};
    answers[by_label] = {200, list(deployment("keda:2.17.2"))};
    const found_versions found = search();
    EXPECT_EQ(rules(found), "1.38 2.20");
    EXPECT_TRUE(found.kubernetes.is_unknown);
    EXPECT_EQ(found.keda.message,
              "KEDA 2.17.2 is not a known release (2.20 to 2.21); the nearest known release is used");
}

TEST_F(VersionSearch, TheHostsChoiceWins) {
    answers["/version"] = {200, git_version("v1.37.2")};
    answers[by_label] = {200, list(deployment("keda:2.21.0"))};
    chosen.hpa_version = 35;
    chosen.keda_version = 20;
    const found_versions found = search();
    EXPECT_EQ(rules(found), "1.35 2.20");
    EXPECT_EQ(found.versions(), (manifest::original_versions{37, 21})) << "what was found is known all the same";
    EXPECT_EQ(describe_version(original::keda, chosen, found),
              "KEDA 2.21.0, from its operator's image tag; the rules of KEDA 2.20 apply, as configured");
    json_writer json;
    write_versions(json, chosen, found);
    EXPECT_EQ(json.take(), R"({"hpa":{"rules":"1.35","from":"settings","found":"v1.37.2","message":""},)"
                           R"("keda":{"rules":"2.20","from":"settings","found":"2.21.0","message":""}})");
}

TEST(ImageTag, IsBehindTheLastColonOfTheName) {
    EXPECT_EQ(image_tag("ghcr.io/kedacore/keda:2.21.0"), "2.21.0");
    EXPECT_EQ(image_tag("registry:5000/kedacore/keda"), "");
    EXPECT_EQ(image_tag("registry:5000/keda:2.20.0@sha256:ab"), "2.20.0");
    EXPECT_EQ(image_tag("keda:main"), "main");
    EXPECT_EQ(image_tag("keda@sha256:ab"), "");
}

// The releases that a cluster runs reach the decisions, and in shadow explain a difference.

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
