// Azure workload identity: the projected service-account token against an Entra token.
// Comes in: the environment that the azure-workload-identity webhook sets, a TriggerAuthentication's overrides, and what
// the host program allows; goes out: a credential.  The assertion is the service account of the process that runs this.
#pragma once

#include "auth/azure/token_proxy.hpp"
#include "auth/credential.hpp"
#include "config/kinds.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

// What the webhook of workload identity puts into a pod's environment, and the keys that go before it.
inline constexpr std::array workload_environment = {
    config::injected_setting{"client", "AZURE_CLIENT_ID", "identityId", &config::authentication::identity_id},
    config::injected_setting{"tenant", "AZURE_TENANT_ID", "identityTenantId",
                             &config::authentication::identity_tenant_id},
    config::injected_setting{"", "AZURE_FEDERATED_TOKEN_FILE", ""},
    config::injected_setting{"", "AZURE_AUTHORITY_HOST", "identityAuthorityHost",
                             &config::authentication::identity_authority_host, false},
};

// What KEDA's webhook refuses in such a block (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go).
std::vector<config::violation> check_workload_identity(const config::authentication& identity);

struct workload_identity_settings {
    std::optional<std::string> identity_id;              // over AZURE_CLIENT_ID
    std::optional<std::string> identity_tenant_id;       // over AZURE_TENANT_ID
    std::optional<std::string> identity_authority_host;  // over AZURE_AUTHORITY_HOST; needs the tenant
};

// Everything checked, before the first byte is sent.
struct workload_identity {
    std::string authority;  // canonical: https://host[:port][/path]
    std::string tenant;
    std::string client_id;
    std::string token_file;
    std::optional<token_proxy> proxy;
    std::shared_ptr<const http::tls_settings> tls;  // of the authority; null: defaults
};

// Reads the environment now; pure but for that.  Errors are class config and name the variable, key or host at fault.
result<workload_identity> read_workload_identity(const workload_identity_settings& settings,
                                                 const host_permissions& permissions, const surroundings& host);

// The request for a token; `assertion` is the content of the token file, `scope` what scope_for() gave.
http::request workload_identity_request(const workload_identity& who, const std::string& scope,
                                        const secret_text& assertion,
                                        std::shared_ptr<const http::tls_settings> tls = nullptr);

// The credential.  The token file is read anew for each request.
result<std::shared_ptr<credential>> open_workload_identity(const workload_identity_settings& settings,
                                                           const host_permissions& permissions,
                                                           std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
