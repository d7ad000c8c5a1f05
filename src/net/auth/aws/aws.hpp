// Keys that sign requests to AWS: their JSON form, the request for them, and the signed request.  The token cache stores them as
// one text in the format of AWS' credential_process, which every AWS SDK can parse.
#pragma once

#include "auth/credential.hpp"
#include "auth/token/exchange.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

struct aws_keys {
    std::string access_key_id;
    secret_text secret_access_key;
    secret_text session_token;  // "": keys of a user, without a session
};

// Serializes to
// {"Version":1,"AccessKeyId":"...","SecretAccessKey":"...","SessionToken":"...","Expiration":"2026-11-21T10:00:00Z"}.
secret_text credential_process_text(const aws_keys& keys, std::optional<std::int64_t> expires_at_ms);

// Parses the text of credential_process_text().  Status bug for any other text.
result<aws_keys> read_credential_process(std::string_view text);

// Returns keys without an expiry as a token that is fetched again after an hour.
token lasting_token(const aws_keys& keys, const moment& now);

// Parses the response of a container's or an instance's credential endpoint ({"AccessKeyId", "SecretAccessKey",
// "Token", "Expiration"}), or of STS ({"AssumeRole...Response": {"AssumeRole...Result": {"Credentials": {...}}}}).
// Class protocol if these members are missing.  Never quotes the body.
result<token> read_aws_answer(const http::response& response, const moment& sent, const std::string& endpoint);

// Returns the error of a response that is not 2xx.  Reads {"Error": {"Code", "Message"}} and {"Code" | "code", "Message" |
// "message"}. A known code decides, otherwise the status.
error read_aws_refusal(const http::response& response, const token_context& about, std::int64_t wall_ms);
bool aws_again(const http::answer& answer);
// STS, and the endpoints of containers and instances.
inline constexpr token_service aws_service{&read_aws_answer, &read_aws_refusal, &aws_again};

// The AWS service that a signature is for: "aps" for Amazon Managed Prometheus, "sts".
struct aws_target {
    std::string region;
    std::string service;
};

// Tells whether the text has only letters, digits and dashes: it becomes a part of host names and of the signature.
bool is_aws_region(std::string_view text);

// Returns the region of a host: "aps-workspaces.us-east-1.amazonaws.com" → "us-east-1"; "" if it contains none.
std::string region_of_host(std::string_view host);

// Prepares a request that libcurl signs (AWS Signature Version 4): sets the keys, the session's header and the canonical query,
// with each name and value percent-encoded, sorted by name. libcurl signs the query unchanged.
void sign_request(http::request& request, const aws_keys& keys, const aws_target& target);

// Returns the canonical query: "b=1&a=x+y" → "a=x%20y&b=1".
std::string canonical_query(std::string_view query);

// AWS keys: configured keys, or those of this process's identity, optionally with an assumed role.  Keys sign requests
// and are never sent.

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
