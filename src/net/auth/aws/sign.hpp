// Prepares a request that libcurl signs (AWS Signature Version 4), with keys from the cache.  Pure.
#pragma once

#include "auth/aws/keys.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace gputide::auth {

// the AWS service: "aps" for Amazon Managed Prometheus, "sts".
struct aws_target {
    std::string region;
    std::string service;
};

// Letters, digits and dashes: it becomes a part of host names and of the signature.
bool is_aws_region(std::string_view text);

// Returns the region of a host: "aps-workspaces.us-east-1.amazonaws.com" → "us-east-1"; "" if it contains none.
std::string region_of_host(std::string_view host);

// Sets the keys, the session's header, and the canonical query: each name and value percent-encoded, sorted by name.
// libcurl signs a query as it is.
void sign_request(http::request& request, const aws_keys& keys, const aws_target& target);

// Canonicalizes a query: "b=1&a=x+y" → "a=x%20y&b=1"
std::string canonical_query(std::string_view query);

}  // namespace gputide::auth
