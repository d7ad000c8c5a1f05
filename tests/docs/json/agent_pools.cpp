// A node pool of AKS that would grow, asked of the server of json_test.py.
#include "texts.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
