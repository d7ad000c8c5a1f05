// Whom to ask: the API server that the host program chose.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "base/result.hpp"
#include "source/api_server/endpoint.hpp"
#include "source/source.hpp"

#include <string>

namespace gputide::source::kubernetes {

struct access {
    std::string server;
    std::string name_space;  // the caller's own, "default" where nothing says
    bool verified = true;
    auth::authenticator authenticator;
};

// Without a host (a check, a policy) nothing is read, and the server is the name that a pod would use.
result<access> open_access(const services& services);

inline constexpr const char* unverified_text =
    "insecure-skip-tls-verify is true: the API server's certificate is not verified, so anybody on the way can answer "
    "for it and read the token";

http::request request_for(const access& access, const endpoint& endpoint);

}  // namespace gputide::source::kubernetes
