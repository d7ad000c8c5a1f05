// The order in which cluster configurations are tried.
#include "auth/kubernetes/cluster.hpp"

#include "auth/kubernetes/in_cluster.hpp"
#include "auth/kubernetes/kubeconfig.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"

#include <string_view>
#include <utility>

namespace gputide::auth {
namespace {

kubeconfig_choice chosen(const cluster_choice& choice) {
    kubeconfig_choice out;
    out.context = choice.context;
    out.connection = choice.connection;
    out.allowed_programs = choice.allowed_programs;
    return out;
}

// KUBECONFIG lists several files, joined by colons; empty pieces are ignored.
std::vector<std::string> listed_files(const std::string& text) {
    std::vector<std::string> out;
    for (const std::string_view name : split(text, ':')) {
        if (!name.empty()) out.emplace_back(name);
    }
    return out;
}

std::string home_file(const surroundings& host) {
    const std::string home = host.environment("HOME").value_or("");
    return home.empty() ? std::string() : home + "/.kube/config";
}

error_ptr nothing_found(const cluster_choice& choice) {
    std::string text =
        "no Kubernetes cluster is known: this is no pod of one (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
        "are "
        "not set)";
    text += choice.read_environment ? ", KUBECONFIG is not set and there is no ~/.kube/config" : "";
    return fail(error_class::unavailable, "{}; let the host program name a kubeconfig", text);
}

}  // namespace

audience audience_of(const std::string& server) {
    audience out;
    out.scope = server;
    if (const auto url = http::parse_url(server)) out.hosts = {url->host};
    return out;
}

result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host) {
    kubeconfig_choice from = chosen(choice);
    if (!choice.kubeconfig.empty()) {
        from.files = {choice.kubeconfig};
        return open_kubeconfig(from, host);
    }
    if (choice.read_environment) {
        from.files = listed_files(host->environment("KUBECONFIG").value_or(""));
        from.skip_missing = true;
        if (!from.files.empty()) return open_kubeconfig(from, host);
    }
    if (is_in_cluster(*host)) return open_in_cluster(choice.service_account_dir, choice.connection, host);
    const std::string at_home = choice.read_environment ? home_file(*host) : std::string();
    if (at_home.empty() || !host->read_file(at_home, limits::manifest_bytes)) return nothing_found(choice);
    from.files = {at_home};
    return open_kubeconfig(from, host);
}

}  // namespace gputide::auth
