// Exchanges an application's client secret for an Entra token.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

struct client_secret_settings {
    std::string tenant_id;                      // "": AZURE_TENANT_ID
    std::string client_id;                      // "": AZURE_CLIENT_ID
    secret_text client_secret;                  // "": AZURE_CLIENT_SECRET
    std::optional<std::string> authority_host;  // else AZURE_AUTHORITY_HOST, else the public cloud
    bool is_of_cluster = false;                 // client_secret is a ClusterTriggerAuthentication's
};

// Reads the environment now and checks every setting.
result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host);

}  // namespace gputide::auth
