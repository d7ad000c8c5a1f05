// Authentication at an HTTP endpoint of a trigger: authModes with their values, or an identity, and whether the server's
// certificate is verified (kedacore/keda pkg/scalers/authentication).  No I/O.  Input: one trigger with its resolved
// authentication.  Errors are added to their keys.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/oauth/client_credentials.hpp"
#include "auth/open.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "kube/endpoint.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::access {

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

// Reads the keys of keys.hpp except cloud_keys.  The identity is the trigger's.
settings read_settings(trigger_reader& read, manifest::profile profile);

// Reads oauth_keys into settings.oauth, for a source that supports mode oauth.  Reads them with any mode: malformed
// endpointParams are an error without oauth too, as in KEDA.
void read_oauth(trigger_reader& read, settings& settings);

// Checks that customAuthHeader, customAuthValue and bearerToken are valid in an HTTP header.
void check_headers(manifest::parameters& parameters, const settings& settings);

bool is_header_name(std::string_view name);
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
//             "": several endpoints, or none of a cloud
result<auth::authenticator> open(const settings& settings, const std::string& address, const services& services);

// Checks the value of `cloud` before anything is opened.
result<void> check_cloud(const settings& settings);

// Access to the Kubernetes API server that the host program chose.  Reads files and the environment if services.host is set;
// sends nothing.

// Calls kube::open_access() with the shared services.
result<kube::access> open_api_server(const services& services);

}  // namespace gputide::source::access
