// Opens the cluster for the sources.
#include "source/api_server/access.hpp"

#include <utility>

namespace gputide::source::kubernetes {

result<access> open_access(const services& with) {
    access out;
    out.server = "https://kubernetes.default.svc";
    out.name_space = "default";
    if (!with.host) return out;
    auto opened = auth::open_cluster(with.cluster, with.host);
    if (!opened) return std::move(opened).failure();
    out.server = std::move(opened->server);
    out.verified = opened->is_verified();
    if (!opened->name_space.empty()) out.name_space = std::move(opened->name_space);
    out.by = auth::authenticator(std::move(opened->access), with.permissions, with.tokens);
    return out;
}

http::request request_for(const access& at, const endpoint& what) {
    http::request out;
    out.url = at.server + what.url();
    out.set("Accept", "application/json");
    return out;
}

}  // namespace gputide::source::kubernetes
