// Where a token is asked for: the login endpoint of a cloud and the tenant, checked before anything is sent there.
// Comes in: what the environment or a manifest says; goes out: the URL of the token endpoint.  No I/O.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

// Reads and checks the authority: "https://login.microsoftonline.com", without a slash at the end.  `given` is what a manifest says
// (`key` names it in errors); "" or absent takes AZURE_AUTHORITY_HOST of the environment, and else the public cloud.  A live
// assertion goes there, so the host must be one of the known login hosts, or be loopback, unless the host program allows a custom
// authority; https always.  Loopback that a tenant's manifest names needs the tenant's grant; the environment is the host program's.
result<std::string> read_authority(const std::optional<std::string>& given, std::string_view key,
                                   const host_permissions& permissions, const surroundings& host);

// Whether a secret of a ClusterTriggerAuthentication, or an assertion that its certificate signs, may go to a checked authority: where
// the host program names the hosts of such secrets, to these and to the known login hosts.
result<void> check_cluster_authority(std::string_view authority, const host_permissions& permissions);

// The tenant as it goes into the URL: letters, digits, '.' and '-' (Azure/azure-sdk-for-cpp tenant_id_resolver.cpp); "."
// and ".." are refused as well.
result<std::string> checked_tenant(std::string_view text, std::string_view named);

bool is_adfs(std::string_view tenant);  // Azure Stack's identity provider: another path, and scopes without "/.default"

// {base}/{tenant}/oauth2/v2.0/token with one slash between; {base}/adfs/oauth2/token for adfs.
std::string token_url(std::string_view base, std::string_view tenant);

// The scope as that endpoint takes it.
result<std::string> scope_for(std::string_view scope_or_resource, std::string_view tenant);

}  // namespace gputide::auth
