// Azure's default chain: environment (client secret or certificate) → workload identity → managed identity → Azure CLI
// (Azure/azure-sdk-for-cpp sdk/identity/azure-identity/src/default_azure_credential.cpp).
#pragma once

#include "auth/azure/client_secret.hpp"
#include "auth/credential.hpp"

#include <memory>
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

// Opens the chain.  For a managed identity, client_id is the user-assigned identity.  AZURE_TOKEN_CREDENTIALS restricts it: prod
// (without the Azure CLI), dev (only the CLI), or the name of a single credential such as WorkloadIdentityCredential.  A member
// without its variables is skipped; a member with invalid settings ends the chain.
result<std::shared_ptr<credential>> open_azure_default(const application_settings& settings,
                                                       const host_permissions& permissions,
                                                       const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
