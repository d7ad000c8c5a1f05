// The authority: the login endpoint of a cloud and the tenant, checked before anything is sent.
// In: the environment or a manifest; out: the URL of the token endpoint.  No I/O.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

// Reads and checks the authority: "https://login.microsoftonline.com", without a trailing slash.  `given` is the
// manifest's value (`key` names it in errors); if it is "" or absent, AZURE_AUTHORITY_HOST of the environment applies,
// else the public cloud.  A valid assertion is sent there, so the host must be one of the known login hosts, or
// loopback, unless the host program allows a custom authority; https always.  Loopback in a tenant's manifest needs a
// capability; the environment belongs to the host program.
result<std::string> read_authority(const std::optional<std::string>& given, std::string_view key,
                                   const host_permissions& permissions, const surroundings& host);

// Tells whether a secret of a ClusterTriggerAuthentication, or an assertion signed by its certificate, may be sent to a
// checked authority.  If the host program lists the hosts for such secrets, only these and the known login hosts are
// allowed.
result<void> check_cluster_authority(std::string_view authority, const host_permissions& permissions);

// Returns the tenant for the URL: letters, digits, '.' and '-' (Azure/azure-sdk-for-cpp tenant_id_resolver.cpp); "."
// and ".." are rejected as well.
result<std::string> checked_tenant(std::string_view text, std::string_view named);

bool is_adfs(std::string_view tenant);  // Azure Stack's identity provider: another path, and scopes without "/.default"

// Returns {base}/{tenant}/oauth2/v2.0/token with one slash between; {base}/adfs/oauth2/token for adfs.
std::string token_url(std::string_view base, std::string_view tenant);

// Returns the scope in the form that this endpoint takes.
result<std::string> scope_for(std::string_view scope_or_resource, std::string_view tenant);

}  // namespace gputide::auth
