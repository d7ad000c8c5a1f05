// Authentication at an HTTP endpoint that a trigger names: authModes and what they send, or an identity, and whether the peer's
// certificate is verified (kedacore/keda pkg/scalers/authentication).  No I/O.
// In: one trigger with its authentication resolved; out: settings; what is wrong becomes an error of its key.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/oauth/client_credentials.hpp"
#include "auth/open.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "text/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::access {

// Values of authModes are there where their mode is on; ca also without.
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
    std::optional<auth::client_credentials_settings> oauth;  // of mode oauth, where the source sends it

    std::string cloud;  // of Azure
    std::string azure_resource_url;

    manifest::authentication identity;  // as auth::open_identity() takes it
    std::string google_key_path;        // of the file that holds the identity's key; "": there is none
    bool has_cluster_secret = false;    // a ClusterTriggerAuthentication's
    bool unsafe_ssl = false;
    bool strict = false;  // as KEDA, defects included

    bool has(std::string_view mode) const;
    // The identity's family; none with authModes.
    manifest::identity_family family() const {
        return modes.empty() ? auth::family_of(identity.provider) : manifest::identity_family::none;
    }
    bool is_azure() const { return family() == manifest::identity_family::azure; }
    // Its tokens are for a cloud's own services.
    bool is_cloud() const {
        return family() != manifest::identity_family::none && family() != manifest::identity_family::bearer;
    }
};

// Whether the trigger has a secret of a ClusterTriggerAuthentication.
bool has_cluster_secret(const manifest::trigger& trigger);

// The keys of keys.hpp but those of a cloud's own services; the identity is the trigger's.
settings read_settings(manifest::parameters& parameters, const manifest::trigger& trigger, manifest::profile profile);

// The keys of oauth_keys into settings.oauth, for a source that sends tokens of mode oauth.  They are read with every mode, so that
// endpointParams that are not a URL's query are an error as in KEDA.
void read_oauth(manifest::parameters& parameters, settings& settings);

// customAuthHeader, customAuthValue and bearerToken must be fit to be sent.
void check_headers(manifest::parameters& parameters, const settings& settings);

bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);

// The identity at a cloud's own service: podIdentity, or what KEDA reads from a trigger's other keys without one
// (its transports for Google and AWS: kedacore/keda pkg/scalers/gcp/gcp_common.go, pkg/scalers/aws/aws_common.go).  No I/O.

// Reads cloud_keys into settings.identity: the provider filled in, and the values of the trigger's own keys beside the
// parameters under the same names.  With authModes it stays as it is.
void read_cloud_identity(manifest::parameters& parameters, const manifest::trigger& trigger, settings& settings);

// The warning of a credential that would be sent unencrypted.

// Warns if `url`, written under `key`, is plain http to another machine and something is sent that must stay secret.  Fetch
// refuses it unless the host allows it (http/message.hpp); findings may be null.
void warn_plain_http(const manifest::trigger& trigger, const manifest::parameters& parameters, std::string_view key,
                     std::string_view url, const settings& access, text::report* findings);

// The same for the token endpoint of authModes oauth, to which the client's secret goes.
void warn_oauth_over_http(const manifest::trigger& trigger, const manifest::parameters& parameters,
                          const settings& access, text::report* findings);

// From authModes and pod identity to an authenticator.  Reads the environment and the file of a key where services.host is
// set; sends nothing.

// The first of bearer, basic, custom gives the header; tls the client certificate; settings.oauth a token for `address`, asked for
// with the same TLS settings.  Without authModes the identity gives
// tokens for Azure's or Google's managed Prometheus, a bearer token for hosts that the host program names, or keys that sign
// requests to Amazon's.  `ca` and unsafeSsl hold with every mode; in the strict profile KEDA's
// transports decide: `ca` counts with authModes only, and tls, ca and azure drop unsafeSsl.
//   address   of the endpoint: the region to sign for and the place that a token is for, where nothing else names them;
//             "": several endpoints, or none of a cloud
result<auth::authenticator> open(const settings& settings, const std::string& address, const services& services);

// Checks the choice of a cloud, before anything is opened.
result<void> check_cloud(const settings& settings);

}  // namespace gputide::source::access
