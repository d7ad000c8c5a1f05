// AWS keys from an endpoint on this machine: of a container (ECS, EKS Pod Identity) or of an instance (EC2).
// Members of a chain: a missing service is class unavailable.
#pragma once

#include "auth/credential.hpp"

#include <memory>

namespace gputide::auth {

// AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI, with AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE or _TOKEN.  Over
// http only to loopback and to the addresses that ECS and EKS use.
result<std::shared_ptr<credential>> open_aws_container(const std::shared_ptr<const surroundings>& host);

// The instance metadata service, version 2, unless AWS_EC2_METADATA_DISABLED is true.
result<std::shared_ptr<credential>> open_aws_instance(const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
