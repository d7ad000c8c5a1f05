// Opens the cluster for the sources.
#include "source/api_server/access.hpp"

#include <utility>

namespace gputide::source::kubernetes {

result<access> open_access(const services& services) {
    access out;
    out.server = "https://kubernetes.default.svc";
    out.name_space = "default";
    if (!services.host) return out;
    auto opened = auth::open_cluster(services.cluster, services.host);
    if (!opened) return std::move(opened).failure();
    out.server = std::move(opened->server);
    out.verified = opened->is_verified();
    if (!opened->name_space.empty()) out.name_space = std::move(opened->name_space);
    out.authenticator = auth::authenticator(std::move(opened->access), services.permissions, services.tokens);
    return out;
}

http::request request_for(const access& access, const endpoint& endpoint) {
    http::request out;
    out.url = access.server + endpoint.url();
    out.set("Accept", "application/json");
    return out;
}

}  // namespace gputide::source::kubernetes
