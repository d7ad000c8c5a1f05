// Tokens of the user who is signed in to the Azure CLI: for development machines.  The host program must allow `az`.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>

namespace gputide::auth {

struct azure_cli_settings {
    std::string tenant_id;     // "": the CLI's default
    std::string subscription;  // "": the CLI's default
};

result<std::shared_ptr<credential>> open_azure_cli(const azure_cli_settings& settings,
                                                   const host_permissions& permissions,
                                                   std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
