// Tokens of the machine's identity in Azure: virtual machine, App Service, Arc, Cloud Shell.  On AKS this is the node's identity:
// pods use workload_identity.hpp.
#pragma once

#include "auth/azure/identity_host.hpp"
#include "auth/credential.hpp"

#include <memory>

namespace gputide::auth {

struct managed_identity_settings {
    std::string client_id;  // at most one of these three
    std::string object_id;
    std::string resource_id;
    bool in_chain = false;  // in a chain: at most one second to connect, and class unavailable if missing
};

// Opens the credential: reads the environment now.  Never uses a proxy.
result<std::shared_ptr<credential>> open_managed_identity(const managed_identity_settings& settings,
                                                          std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
