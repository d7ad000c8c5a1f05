// Azure's default chain: environment (client secret or certificate) → workload identity → managed identity → Azure CLI
// (Azure/azure-sdk-for-cpp sdk/identity/azure-identity/src/default_azure_credential.cpp).
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

// Tokens of the user signed in to the Azure CLI, for development machines.  The host program must allow `az`.

struct azure_cli_settings {
    std::string tenant_id;     // "": the CLI's default
    std::string subscription;  // "": the CLI's default
};

result<std::shared_ptr<credential>> open_azure_cli(const azure_cli_settings& settings,
                                                   const host_permissions& permissions,
                                                   std::shared_ptr<const surroundings> host);

struct azure_default_settings {
    std::string tenant_id;  // "": AZURE_TENANT_ID
    std::string client_id;  // "": AZURE_CLIENT_ID; for managed identity the user-assigned identity
    std::optional<std::string> authority_host;
};

// Opens the chain.  AZURE_TOKEN_CREDENTIALS restricts it: prod (without the Azure CLI), dev (only the CLI), or the name of a
// single credential such as WorkloadIdentityCredential.  A member without its variables is skipped; a member with invalid
// settings ends the chain.
result<std::shared_ptr<credential>> open_azure_default(const azure_default_settings& settings,
                                                       const host_permissions& permissions,
                                                       const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
