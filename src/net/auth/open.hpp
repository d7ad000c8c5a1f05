// Opens the credential of a podIdentity block with the parameters of its TriggerAuthentication and the host program's
// permissions.  Checks all settings; sends nothing.  A setting has three sources; the first that is set is used: a parameter
// (secretTargetRef, configMapTargetRef, env), the block itself (identityId, identityTenantId, identityAuthorityHost), and the
// cloud's usual environment variable.
#pragma once

#include "auth/credential.hpp"
#include "manifest/spec.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

// Returns the rows of all providers, for the manifest parser.
std::span<const manifest::identity_kind> identity_kinds();

// Returns `none` for "" and for an unknown name.
manifest::identity_family family_of(std::string_view provider);

// Returns the pod settings that a webhook adds for the provider; empty if there are none.
std::span<const manifest::injected_setting> injected_settings(std::string_view provider);

// Opens the identity.  Errors are class config and name the setting or option: an unknown provider, a missing setting, or a
// provider that needs a permission which the host program does not grant.
result<std::shared_ptr<credential>> open_identity(const manifest::authentication& identity,
                                                  const host_permissions& permissions,
                                                  const std::shared_ptr<const surroundings>& host);

// Bearer tokens from outside the clouds: from a file that another process keeps current, or from a program that prints a token.
// The audience is unknown, so the token is sent only to hosts that the host program names.

// Opens a token file.  `path` must be below permissions.secrets_dir: relative to it or absolute, without "..".  The file is read
// again after at most a minute, like in Kubernetes clients, because nothing announces its renewal.
result<std::shared_ptr<credential>> open_bearer_file(const std::string& path, const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

// Opens a program. command[0] is the program, as in permissions.allowed_programs.  The scope replaces an argument {scope}. A
// token without an expiry is fetched again after five minutes.
result<std::shared_ptr<credential>> open_bearer_exec(std::vector<std::string> command,
                                                     const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

// Google tokens: of a service account by its key, or of the machine from its metadata server.  The scope is used unchanged, e.g.
// https://www.googleapis.com/auth/monitoring.read.

// Value of podIdentity.provider.
inline constexpr std::string_view google_provider = "gcp";

inline constexpr std::string_view google_monitoring_scope = "https://www.googleapis.com/auth/monitoring.read";

// Opens a service account's key from its JSON file.  The host of token_uri must be oauth2.googleapis.com or loopback, unless the
// host program allows another one (allow_custom_authority).  Other types of JSON credentials are class config, and the error
// names the type.
result<std::shared_ptr<credential>> open_google_key(const secret_text& json, const host_permissions& permissions);

// Opens the metadata server of Compute Engine and GKE.  GCE_METADATA_HOST overrides its address; it must be loopback or
// link-local.
result<std::shared_ptr<credential>> open_google_metadata(const std::shared_ptr<const surroundings>& host);

// Opens the application default credentials: the key file GOOGLE_APPLICATION_CREDENTIALS → metadata server.
result<std::shared_ptr<credential>> open_google_default(const host_permissions& permissions,
                                                        const std::shared_ptr<const surroundings>& host);

// The client credentials grant (RFC 6749, 4.4) at any token endpoint, with the rules of golang.org/x/oauth2 clientcredentials,
// which KEDA uses (kedacore/keda pkg/scalers/authentication/authentication_helpers.go OAuthTokenSource @v2.21.0).

// A token endpoint's 2xx response, parsed like golang.org/x/oauth2 (v0.30 internal/token.go doTokenRoundTrip): JSON or a form,
// any token_type, an optional lifetime.  Pure.

// Parses the response.  A token is usable until 10 s before its expiry and is not renewed early; without expires_in it never
// expires.
result<token> read_oauth_answer(const http::response& response, const moment& sent, const std::string& endpoint);

struct client_credentials_settings {
    secret_text token_url;  // the manifest's oauthTokenURI
    secret_text client_id;
    secret_text client_secret;                                    // "": only the client ID is sent
    std::string scope;                                            // scopes, joined by blanks; "": none
    std::vector<std::pair<std::string, secret_text>> parameters;  // endpointParams: form fields beside the grant's own
    std::shared_ptr<const http::tls_settings> tls;                // for the token endpoint; null: defaults
    std::int64_t timeout_ms = 0;                                  // per token request; 0: the default
    bool is_cluster_wide = false;  // the secret comes from a ClusterTriggerAuthentication
};

// Opens the credential.  The secret may be sent to https URLs, to loopback (a tenant needs a capability), and over plain http if
// the host program allows it; a ClusterTriggerAuthentication's secret only to hosts that the host program names.  Errors are
// class config and quote only the URL's host.  acquire() sends one request.  With a secret, and before it knows how the endpoint
// accepts secrets, it sends two: with `Authorization: Basic`, then with the secret in the form.  The method that worked is
// remembered.  A token is kept until 10 s before its expiry; a token without an expiry never expires.
result<std::shared_ptr<credential>> open_client_credentials(const client_credentials_settings& settings,
                                                            const host_permissions& permissions);

}  // namespace gputide::auth
