// Opens the cluster.
#include "kube/access.hpp"

#include <utility>

namespace gputide::kube {

result<access> open_access(const auth::cluster_choice& choice, const std::shared_ptr<const auth::surroundings>& host,
                           const auth::host_permissions& permissions, std::shared_ptr<auth::token_cache> tokens) {
    access out;
    out.server = "https://kubernetes.default.svc";
    out.name_space = "default";
    if (!host) return out;
    auto opened = auth::open_cluster(choice, host);
    if (!opened) return std::move(opened).failure();
    out.server = std::move(opened->server);
    out.verified = opened->is_verified();
    if (!opened->name_space.empty()) out.name_space = std::move(opened->name_space);
    out.authenticator = auth::authenticator(std::move(opened->access), permissions, std::move(tokens));
    return out;
}

http::request request_for(const access& access, const endpoint& endpoint, std::string accept) {
    http::request out;
    out.url = access.server + endpoint.url();
    out.set("Accept", std::move(accept));
    return out;
}

}  // namespace gputide::kube
