// AWS keys: configured keys, or those of this process's identity, optionally with an assumed role. keys.hpp describes the token.
// Keys sign requests and are never sent.
#pragma once

#include "auth/credential.hpp"
#include "manifest/kinds.hpp"
#include "manifest/spec.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// AWS keys from an endpoint on this machine: of a container (ECS, EKS Pod Identity) or an instance (EC2).  For chains: a missing
// service is class unavailable.

// Opens AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI, with AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE or _TOKEN.  Uses http
// only for loopback and for the addresses of ECS and EKS.
result<std::shared_ptr<credential>> open_aws_container(const std::shared_ptr<const surroundings>& host);

// Opens the instance metadata service, version 2, unless AWS_EC2_METADATA_DISABLED is true.
result<std::shared_ptr<credential>> open_aws_instance(const std::shared_ptr<const surroundings>& host);

// Value of podIdentity.provider.
inline constexpr std::string_view aws_provider = "aws";

// Validates a block like KEDA's webhook (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go).
std::vector<manifest::violation> check_aws_identity(const manifest::authentication& identity);

struct aws_settings {
    std::string region;       // for STS; "": AWS_REGION, AWS_DEFAULT_REGION, else STS' global endpoint
    std::string role_arn;     // "": no role is assumed
    std::string external_id;  // for role_arn
    std::string access_key_id;
    secret_text secret_access_key;
    secret_text session_token;  // "": keys of a user, without a session
};

// Opens the configured keys.  Without them, opens the chain of the AWS SDKs, except their files: environment → web identity
// (service account of EKS) → container (ECS, EKS Pod Identity) → instance metadata, version 2.  A role is assumed by web identity
// if its token exists; otherwise, or if STS rejects that, by AssumeRole with the chain's keys (kedacore/keda
// pkg/scalers/aws/aws_config_cache.go).
result<std::shared_ptr<credential>> open_aws(const aws_settings& settings, const host_permissions& permissions,
                                             const std::shared_ptr<const surroundings>& host);

// Returns AWS_REGION, else AWS_DEFAULT_REGION, else "".
std::string aws_region_of(const surroundings& host);

}  // namespace gputide::auth
