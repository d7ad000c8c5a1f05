// Azure workload identity: exchanges the projected service-account token for an Entra token.  Input: the environment set by the
// azure-workload-identity webhook, overrides in a TriggerAuthentication, and the host program's permissions.  The assertion is
// the token of this process's service account.
#pragma once

#include "auth/azure/client_secret.hpp"
#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "http/message.hpp"
#include "manifest/kinds.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

// The projected service-account token, a file that the kubelet replaces at run time.  The file is read for each request; its
// content is not kept.  The identity provider checks claims and signature.

// Texts about the file's origin, for messages.
struct token_file_words {
    const char* variable = "AZURE_FEDERATED_TOKEN_FILE";
    const char* mount_advice = "Is the pod labeled azure.workload.identity/use: \"true\" and the volume mounted?";
};

// Returns the trimmed content, three base64url parts joined by dots.  Errors are class config with the path: a missing,
// unreadable or empty file (retryable: the mount or a rotation may be in progress), a file above 64 KiB, or another format.
result<secret_text> read_token_file(const surroundings& host, const std::string& path,
                                    const token_file_words& words = {});

// Identity bindings: a proxy inside the cluster replaces the authority (AZURE_KUBERNETES_TOKEN_PROXY and related variables,
// Azure/azure-sdk-for-go sdk/azidentity/internal/customtokenproxy).  Used only if the host program enables it.

struct token_proxy {
    std::string url;          // base: scheme, host, port, path; without a trailing slash
    std::string server_name;  // SNI and verified name; "": the URL's host
    std::string ca_pem;       // replaces the system's roots; "": ca_file
    std::string ca_file;      // read again for each request; "": the system's roots
};

// Returns nullopt if no variable is set.  An invalid combination is class config with the variable's name.
result<std::optional<token_proxy>> read_token_proxy(const surroundings& host);

// Returns the TLS settings of one request; reads the CA file.
result<std::shared_ptr<const http::tls_settings>> tls_of(const token_proxy& proxy, const surroundings& host);

// Variables that the webhook of workload identity sets in a pod, and the keys that override them.
inline constexpr std::array workload_environment = {
    manifest::injected_setting{"client", "AZURE_CLIENT_ID", "identityId", &manifest::authentication::identity_id},
    manifest::injected_setting{"tenant", "AZURE_TENANT_ID", "identityTenantId",
                               &manifest::authentication::identity_tenant_id},
    manifest::injected_setting{"", "AZURE_FEDERATED_TOKEN_FILE", ""},
    manifest::injected_setting{"", "AZURE_AUTHORITY_HOST", "identityAuthorityHost",
                               &manifest::authentication::identity_authority_host, false},
};

// Validates a block like KEDA's webhook (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go).
std::vector<manifest::violation> check_workload_identity(const manifest::authentication& identity);

struct workload_identity_settings {
    std::optional<std::string> identity_id;              // overrides AZURE_CLIENT_ID
    std::optional<std::string> identity_tenant_id;       // overrides AZURE_TENANT_ID
    std::optional<std::string> identity_authority_host;  // overrides AZURE_AUTHORITY_HOST; needs the tenant
};

// All settings, checked before any request.
struct workload_identity : application {
    std::string token_file;
    std::optional<token_proxy> proxy;
};

// Reads the settings from parameters and environment.  Errors are class config and name the wrong variable, key or host.
result<workload_identity> read_workload_identity(const workload_identity_settings& settings,
                                                 const host_permissions& permissions, const surroundings& host);

// Returns the request for a token; `assertion` is the content of the token file, `scope` the result of scope_for().
http::request workload_identity_request(const workload_identity& who, const std::string& scope,
                                        const secret_text& assertion,
                                        std::shared_ptr<const http::tls_settings> tls = nullptr);

// Returns the credential.  The token file is read again for each request.
result<std::shared_ptr<credential>> open_workload_identity(const workload_identity_settings& settings,
                                                           const host_permissions& permissions,
                                                           std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
