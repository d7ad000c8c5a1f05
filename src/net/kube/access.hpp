// Access to the API server that the host program chose.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/cache.hpp"
#include "base/result.hpp"
#include "kube/endpoint.hpp"

#include <memory>
#include <string>

namespace gputide::kube {

struct access {
    std::string server;
    std::string name_space;  // the caller's own; "default" if unknown
    bool verified = true;
    auth::authenticator authenticator;
};

// Opens the access.  If `host` is null (when checking a manifest or compiling a policy), reads nothing; the server is then the
// name that a pod would use.
result<access> open_access(const auth::cluster_choice& choice, const std::shared_ptr<const auth::surroundings>& host,
                           const auth::host_permissions& permissions, std::shared_ptr<auth::token_cache> tokens);

inline constexpr const char* unverified_text =
    "insecure-skip-tls-verify is true: the API server's certificate is not verified, so any host on the way can answer "
    "for it and read the token";

http::request request_for(const access& access, const endpoint& endpoint, std::string accept = "application/json");

}  // namespace gputide::kube
