// Authentication at a trigger's HTTP endpoint (kedacore/keda pkg/scalers/authentication) and at a cloud's own services: the keys,
// their settings and warnings, and the authenticator that they make.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/open.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "kube/endpoint.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::access {

inline constexpr auto access_keys = text::of_access(text::fields({
    {.names = "authModes authMode",
     .places = {origin::metadata, origin::auth},
     .type = value_type::list,
     .allowed = "apiKey basic tls bearer custom oauth",
     .exclusive = "bearer basic oauth",
     .otherwise = "no authentication",
     .meaning = "how requests authenticate; the values are in the TriggerAuthentication. Only `prometheus` supports "
                "`oauth`, only `metrics-api` supports `apiKey`"},
    {.names = "bearerToken token",
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `bearer`",
     .meaning = "the token of `Authorization: Bearer`"},
    {.names = {"username"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `basic`",
     .meaning = "the user's name"},
    {.names = {"password"},
     .places = {origin::auth},
     .type = value_type::secret,
     .meaning = "for `basic`; may be empty"},
    {.names = {"customAuthHeader"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `custom`",
     .meaning = "the name of a header"},
    {.names = {"customAuthValue"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `custom`",
     .meaning = "that header's value"},
    {.names = {"ca"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "the system's",
     .range = "PEM",
     .meaning = "certificate authorities for the server"},
    {.names = {"cert"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `tls`",
     .range = "PEM",
     .meaning = "the client's certificate"},
    {.names = {"key"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `tls`",
     .range = "PEM",
     .meaning = "the client's key"},
    {.names = {"apiKey"},
     .places = {origin::auth},
     .type = value_type::secret,
     .meaning = "the API key, for the mode `apiKey`"},
    {.names = {"oauthTokenURI"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `oauth`",
     .range = "an https URL",
     .meaning = "the token endpoint for `oauth`"},
    {.names = {"clientID"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "required for `oauth`",
     .meaning = "client ID of the token request"},
    {.names = {"cloud"},
     .otherwise = "`AzurePublicCloud`",
     .range = "`AzurePublicCloud`, `AzureUSGovernmentCloud`, `AzureChinaCloud`, `Private`; case-insensitive",
     .meaning = "with an Azure podIdentity: the cloud of the token"},
    {.names = {"azureManagedPrometheusResourceURL"},
     .otherwise = "required for cloud `Private`",
     .meaning = "the token's scope in a private cloud"},
}));

// Parameters of the token request of `oauth`, for triggers that support it (kedacore/keda
// pkg/scalers/authentication/authentication_types.go).
inline constexpr auto oauth_keys = text::of_access(text::fields({
    {.names = {"clientSecret"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "only the client ID",
     .meaning = "for `oauth`: the client's secret"},
    {.names = "scopes scope",
     .places = {origin::auth},
     .type = value_type::list,
     .otherwise = "none",
     .meaning = "for `oauth`: the scopes of the token"},
    {.names = {"endpointParams"},
     .places = {origin::auth},
     .type = value_type::secret,
     .otherwise = "none",
     .range = "a URL's query such as `audience=prometheus`",
     .meaning = "for `oauth`: further parameters of the token request"},
}));

// Keys for Amazon Managed Prometheus (kedacore/keda pkg/scalers/aws/aws_common.go) and Google's (kedacore/keda
// pkg/scalers/gcp/gcp_common.go).
inline constexpr auto cloud_keys = text::of_access(text::fields({
    {.names = {"awsRegion"},
     .places = {origin::metadata, origin::auth},
     .otherwise = "from the address, `AWS_REGION` or `AWS_DEFAULT_REGION`",
     .meaning = "with podIdentity `aws` or AWS keys: the region of the signature"},
    {.names = {"identityOwner"},
     .range = "`operator`",
     .meaning = "`operator`: sign with the process's own AWS identity, without a podIdentity"},
    {.names = {"awsRoleArn"}, .places = {origin::auth}, .meaning = "ARN of the role to assume"},
    {.names = {"awsExternalId"}, .places = {origin::auth}, .meaning = "external ID for that role"},
    {.names = "awsAccessKeyID awsAccessKeyId",
     .places = {origin::auth, origin::metadata, origin::env},
     .meaning = "the access key ID"},
    {.names = {"awsSecretAccessKey"},
     .places = {origin::auth, origin::env},
     .type = value_type::secret,
     .otherwise = "required with `awsAccessKeyID`",
     .meaning = "the secret access key"},
    {.names = {"awsSessionToken"},
     .places = {origin::auth, origin::env},
     .type = value_type::secret,
     .meaning = "the session token of temporary keys"},
    {.names = {"GoogleApplicationCredentials"},
     .places = {origin::auth},
     .type = value_type::secret,
     .range = "JSON",
     .meaning = "the key of a Google service account"},
    {.names = {"credentials"},
     .places = {origin::env},
     .type = value_type::secret,
     .range = "JSON",
     .meaning = "the same key, in the variable that `credentialsFromEnv` names"},
    {.names = {"credentialsFromEnvFile"}, .meaning = "name of the variable with the path of the key's file"},
}));

// Authentication at an HTTP endpoint of a trigger: authModes with their values, or an identity, and whether the server's
// certificate is verified (kedacore/keda pkg/scalers/authentication).  No I/O.

// Values of an authMode are set only if the mode is enabled; `ca` also without a mode.
struct settings {
    std::vector<std::string> modes;  // as written
    secret_text bearer_token;
    secret_text username;
    secret_text password;
    secret_text custom_header;
    secret_text custom_value;
    secret_text ca;
    secret_text certificate;
    secret_text key;
    secret_text api_key;                                     // sent by metrics-api
    std::optional<auth::client_credentials_settings> oauth;  // for mode oauth, if the source supports it

    std::string cloud;  // Azure's cloud
    std::string azure_resource_url;

    manifest::authentication identity;  // input of auth::open_identity()
    std::string google_key_path;        // path of the file with the identity's key; "": not set
    bool has_cluster_secret = false;    // from a ClusterTriggerAuthentication
    bool unsafe_ssl = false;
    bool strict = false;  // behave like KEDA, defects included

    bool has(std::string_view mode) const;
    // Returns the identity's family; `none` if authModes are used.
    manifest::identity_family family() const {
        return modes.empty() ? auth::family_of(identity.provider) : manifest::identity_family::none;
    }
    bool is_azure() const { return family() == manifest::identity_family::azure; }
    // Tells whether the tokens are only for a cloud's own services.
    bool is_cloud() const {
        return family() != manifest::identity_family::none && family() != manifest::identity_family::bearer;
    }
};

// Tells whether the trigger has a secret of a ClusterTriggerAuthentication.
bool has_cluster_secret(const manifest::trigger& trigger);

// Reads access_keys.  The identity is the trigger's.
settings read_settings(trigger_reader& read);

// Reads oauth_keys into settings.oauth, for a source that supports mode oauth.  Reads them with any mode: malformed
// endpointParams are an error without oauth too, as in KEDA.
void read_oauth(trigger_reader& read, settings& settings);

// Checks that customAuthHeader, customAuthValue and bearerToken are valid in an HTTP header.
void check_headers(manifest::parameters& parameters, const settings& settings);

bool is_header_value(std::string_view value);

// The identity at a cloud's own service: podIdentity, or the identity that KEDA derives from other keys of a trigger without
// podIdentity (Google and AWS: kedacore/keda pkg/scalers/gcp/gcp_common.go, pkg/scalers/aws/aws_common.go).  No I/O.

// Reads cloud_keys into settings.identity: the provider, and the trigger's own keys, added to the parameters under the same
// names.  Leaves settings.identity unchanged with authModes.
void read_cloud_identity(trigger_reader& read, settings& settings);

// Warnings of credentials that would be sent unencrypted.

// Warns if `url`, the value of `key`, is plain http to another machine and the request carries a secret.  A fetch fails then
// unless the host allows it (http/message.hpp).
void warn_plain_http(const trigger_reader& read, std::string_view key, std::string_view url, const settings& access);

// Warns of unsafeSsl. `peer`: "the exporter".
void warn_unverified(const trigger_reader& read, const settings& access, std::string_view peer);

// Warns in the same way of the token endpoint of mode oauth, which receives the client secret.
void warn_oauth_over_http(const trigger_reader& read, const settings& access);

// Creates an authenticator from authModes or pod identity.  Reads the environment and a key's file if services.host is set; sends
// nothing.

// With authModes, the first of bearer, basic and custom gives the header, tls the client certificate, and settings.oauth a token
// for `address`, requested with the same TLS settings.  Without authModes, the identity gives a token for Azure's or Google's
// managed Prometheus, a bearer token for hosts that the host program allows, or keys that sign requests to Amazon's.  `ca` and
// unsafeSsl apply to every mode.  In the strict profile KEDA's transports decide: `ca` applies only with authModes, and tls, ca
// and azure ignore unsafeSsl.
// `address` is the endpoint's URL.  It determines the signing region and the token's audience unless other keys do.  "": several
// endpoints, or not a cloud's.
result<auth::authenticator> open(const settings& settings, const std::string& address, const services& services);

// Checks the value of `cloud` before anything is opened.
result<void> check_cloud(const settings& settings);

// Access to the Kubernetes API server that the host program chose.  Reads files and the environment if services.host is set;
// sends nothing.

// Calls kube::open_access() with the shared services.
result<kube::access> open_api_server(const services& services);

}  // namespace gputide::source::access
