#include "texts.hpp"

#include <iostream>

void show(const std::string& name, const std::string& json) {
    if (!json.empty()) std::cout << name << '\t' << json << '\n';
}

std::string prometheus_trigger(const surroundings& around, const std::string& query, const std::string& more) {
    return R"({"type":"prometheus","metadata":{"serverAddress":")" + around.server + R"(","query":")" + query +
           R"(","threshold":"5")" + more + "}}";
}

std::string scaled_object(const std::string& name, const std::string& triggers, const std::string& spec,
                          const std::string& annotations) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
           R"(","annotations":{)" + annotations + R"(}},"spec":{"scaleTargetRef":{"name":")" + name + R"("},)" + spec +
           R"("triggers":[)" + triggers + "]}}";
}

std::string autoscaler(const std::string& name, const std::string& metrics, const std::string& annotations) {
    return R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":")" + name +
           R"(","annotations":{)" + annotations +
           R"(}},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + name +
           R"("},"minReplicas":2,"maxReplicas":10,"metrics":[)" + metrics + "]}}";
}

int main(int count, char** arguments) {
    if (count != 5) {
        std::cerr << "usage: gputide_docs_json SERVER TOKEN CLUSTER CA\n";
        return 2;
    }
    const surroundings around{arguments[1], arguments[2], arguments[3], arguments[4]};
    try {
        show("build_info", gputide::build_info());
        show("token_claims", gputide::token_claims(around.token));
        show_decisions();
        show_sources(around);
        show_scalers(around);
        show_replays();
        show_forecasts();
        show_nodes();
        show_jobs();
        show_rightsizing();
        show_cluster(around);
        show_agent_pools(around);
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    }
    return 0;
}
