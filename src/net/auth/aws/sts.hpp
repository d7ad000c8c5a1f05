// Roles from AWS STS: unsigned with a web identity token, or signed with other keys.
#pragma once

#include "auth/aws/keys.hpp"
#include "auth/credential.hpp"

#include <memory>
#include <string>

namespace gputide::auth {

struct sts_role {
    std::string arn;
    std::string external_id;
    std::string session_name = "KEDA";  // as in KEDA: trust policies and audit logs may depend on it
};

struct sts_endpoint {
    std::string url;  // with a trailing slash
    aws_target target;
    std::shared_ptr<const http::tls_settings> tls;
};

// Returns AWS_ENDPOINT_URL_STS, else the region's endpoint, else the global one.
result<sts_endpoint> find_sts(const std::string& region, const host_permissions& permissions, const surroundings& host);

// Returns a credential for AssumeRoleWithWebIdentity.  The token's file is read again for each request.
std::shared_ptr<credential> web_identity_role(sts_endpoint endpoint, sts_role role, std::string token_file,
                                              std::shared_ptr<const surroundings> host);

// Returns a credential for AssumeRole with the keys of `signer`.
std::shared_ptr<credential> assumed_role(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer);

// Returns a credential that tries `first`, which may be null, then `then`.  If both fail, the error contains both reasons.
std::shared_ptr<credential> role_by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then);

}  // namespace gputide::auth
