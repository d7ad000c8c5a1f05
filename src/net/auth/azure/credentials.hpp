// The credentials of Azure: an application with its secret or certificate, workload identity, managed identity, the Azure CLI,
// and the chain of them.
#pragma once

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

// Obtains Entra tokens with an application's client secret or certificate.

// Settings of an application in a tenant, common to client secret and client certificate.
struct application {
    std::string authority;  // canonical
    std::string tenant;
    std::string client_id;
    std::shared_ptr<const http::tls_settings> tls;  // null: defaults
};

struct application_settings {
    std::string tenant_id;                           // "": AZURE_TENANT_ID
    std::string client_id;                           // "": AZURE_CLIENT_ID
    std::optional<std::string> authority_host = {};  // nullopt: AZURE_AUTHORITY_HOST, else the public cloud
    bool is_of_cluster = false;  // its secret or certificate comes from a ClusterTriggerAuthentication
};

// Reads the settings.  `has_own_proof`: the secret or certificate is one of the settings, not from the environment.  Errors are
// class config and name the setting.
result<application> read_application(const application_settings& settings, bool has_own_proof,
                                     const host_permissions& permissions, const surroundings& host);

// Returns authority, tenant and client in canonical spelling, for cache keys.
std::string application_key(const application& application);

introduction about_application(const char* kind, const application& application);

struct client_secret_settings : application_settings {
    secret_text client_secret;  // "": AZURE_CLIENT_SECRET
};

// Opens the credential: reads the environment now and checks every setting.
result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host);

// Obtains Entra tokens with an application's certificate: each request contains an assertion signed with its private key.

class client_certificate;  // crypto/signing_key.hpp
enum class signing;        // crypto/signing_key.hpp

// The JWT with which an application proves that it has its certificate (RFC 7523).  Each request needs a new one.

struct assertion_claims {
    std::string audience;    // URL of the token endpoint, exactly as used for the request
    std::string client_id;   // iss and sub
    std::string id;          // jti, a fresh UUID
    std::int64_t now_s = 0;  // nbf; exp is ten minutes later
};

// Returns JSON without blanks, with members in this order: alg, typ, x5t#S256 (PS256) or x5t (RS256), and with send_chain x5c.
std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain);
std::string assertion_payload(const assertion_claims& claims);

// Returns the request for a token with an assertion instead of a secret.
http::request assertion_request(const std::string& url, const std::string& client_id, const std::string& scope,
                                const secret_text& assertion, std::shared_ptr<const http::tls_settings> tls);

// Returns header.payload.signature, each base64url.
result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims);

struct client_certificate_settings : application_settings {
    secret_text content;         // PEM or PKCS#12; "": from the file AZURE_CLIENT_CERTIFICATE_PATH
    secret_text password;        // "": AZURE_CLIENT_CERTIFICATE_PASSWORD
    std::optional<signing> how;  // nullopt: PS256, but RS256 for the tenant adfs
    bool send_chain = false;     // sends x5c, for an application that trusts a subject name
};

// Opens the credential: reads environment and file now and checks every setting.
result<std::shared_ptr<credential>> open_client_certificate(const client_certificate_settings& settings,
                                                            const host_permissions& permissions,
                                                            const surroundings& host);

// Azure workload identity: exchanges the projected service-account token for an Entra token.  Input: the environment set by the
// azure-workload-identity webhook, overrides in a TriggerAuthentication, and the host program's permissions.  The assertion is
// the token of this process's service account.

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

// Detects which service of this machine issues tokens for managed identities, and builds the request.  Pure except for reading
// the environment.

// Azure Arc's proof that the caller may read the agent's files: the identity endpoint names a file, and its content authorizes
// the request.  The file's name comes from the network, so it is checked before the file is opened.

// Returns the Authorization header for the second request, from the 401 of the first: `WWW-Authenticate: Basic realm=<path>`.
// The path must be a file *.key directly in /var/opt/azcmagent/tokens, at most 4096 bytes, not a link.  Any other path is class
// security and is not opened; an unreadable file is class config.
result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host);

// Selects the identity of the machine.  At most one member may be set; none: the system-assigned identity.
struct identity_selector {
    std::string client_id;
    std::string object_id;
    std::string resource_id;

    bool empty() const { return client_id.empty() && object_id.empty() && resource_id.empty(); }
};

enum class identity_service { metadata, app_service, app_service_2017, arc, cloud_shell };

struct identity_host {
    identity_service service = identity_service::metadata;
    std::string endpoint;  // without query
    secret_text secret;    // for App Service
};

// Detects the service from Azure's environment variables: IDENTITY_ENDPOINT with IDENTITY_HEADER is App Service, with
// IMDS_ENDPOINT Arc; MSI_ENDPOINT with MSI_SECRET is App Service of 2017, without it Cloud Shell; none of these is the instance
// metadata service.  Class config: an http endpoint that is neither loopback nor link-local, and Service Fabric, because this
// library cannot check its pinned certificate.
result<identity_host> find_identity_host(const surroundings& host);

// Returns the request for `resource` (a scope without "/.default").  Class config if the service does not support the
// selector.
result<http::request> identity_request(const identity_host& host, const identity_selector& selector,
                                       const std::string& resource);

// Tokens of the machine's identity in Azure: virtual machine, App Service, Arc, Cloud Shell.  On AKS this is the node's identity:
// pods use workload identity.

struct managed_identity_settings : identity_selector {
    bool in_chain = false;  // in a chain: at most one second to connect, and class unavailable if missing
};

// Opens the credential: reads the environment now.  Never uses a proxy.
result<std::shared_ptr<credential>> open_managed_identity(const managed_identity_settings& settings,
                                                          std::shared_ptr<const surroundings> host);

// Azure's default chain: environment (client secret or certificate) → workload identity → managed identity → Azure CLI
// (Azure/azure-sdk-for-cpp sdk/identity/azure-identity/src/default_azure_credential.cpp).

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
