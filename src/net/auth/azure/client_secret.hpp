// Obtains Entra tokens with an application's client secret.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

// Settings of an application in a tenant, common to client secret and client certificate.

struct application {
    std::string authority;  // canonical
    std::string tenant;
    std::string client_id;
    std::shared_ptr<const http::tls_settings> tls;  // null: defaults
};

// Empty members default to AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_AUTHORITY_HOST.
struct application_settings {
    std::string tenant_id;
    std::string client_id;
    std::optional<std::string> authority_host;
    bool is_of_cluster = false;  // its secret or certificate comes from a ClusterTriggerAuthentication
};

// Reads the settings.  Errors are class config and name the setting.
result<application> read_application(const application_settings& settings, const host_permissions& permissions,
                                     const surroundings& host);

// Returns authority, tenant and client in canonical spelling, for cache keys.
std::string application_key(const application& application);

struct client_secret_settings {
    std::string tenant_id;                      // "": AZURE_TENANT_ID
    std::string client_id;                      // "": AZURE_CLIENT_ID
    secret_text client_secret;                  // "": AZURE_CLIENT_SECRET
    std::optional<std::string> authority_host;  // nullopt: AZURE_AUTHORITY_HOST, else the public cloud
    bool is_of_cluster = false;                 // client_secret is from a ClusterTriggerAuthentication
};

// Opens the credential: reads the environment now and checks every setting.
result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host);

}  // namespace gputide::auth
