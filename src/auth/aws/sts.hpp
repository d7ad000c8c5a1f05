// Roles by AWS STS: by a web identity token, unsigned, or by other keys, signed.
#pragma once

#include "auth/aws/sign.hpp"
#include "auth/credential.hpp"

#include <memory>
#include <string>

namespace gputide::auth {

struct sts_role {
    std::string arn;
    std::string external_id;
    std::string session_name = "KEDA";  // as KEDA names its sessions: trust policies and trails may look for it
};

struct sts_endpoint {
    std::string url;  // with a slash at its end
    aws_target target;
    std::shared_ptr<const http::tls_settings> tls;
};

// AWS_ENDPOINT_URL_STS, else the region's own, else the global one.
result<sts_endpoint> find_sts(const std::string& region, const host_permissions& permissions, const surroundings& host);

// AssumeRoleWithWebIdentity; the token's file is read anew for each request.
std::shared_ptr<credential> web_identity_role(sts_endpoint endpoint, sts_role role, std::string token_file,
                                              std::shared_ptr<const surroundings> host);

// AssumeRole with the keys that `signer` gives.
std::shared_ptr<credential> assumed_role(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer);

// The first of the two that is let in; `first` may be null.  Failures of both are told.
std::shared_ptr<credential> role_by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then);

}  // namespace gputide::auth
