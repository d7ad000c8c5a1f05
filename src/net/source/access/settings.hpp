// Who asks an HTTP endpoint that a trigger names: authModes and what they send, or whose identity, and whether the peer's
// certificate is verified (kedacore/keda pkg/scalers/authentication).  No I/O.
// In: one trigger with its authentication resolved; out: settings; what is wrong becomes an error of its key.
#pragma once

#include "auth/oauth/client_credentials.hpp"
#include "auth/open.hpp"
#include "base/secret.hpp"
#include "config/parameters.hpp"
#include "config/spec.hpp"

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
    secret_text api_key;                                     // sent by sources whose peers take one
    std::optional<auth::client_credentials_settings> oauth;  // of mode oauth, where the source sends it

    std::string cloud;  // of Azure
    std::string azure_resource_url;

    config::authentication identity;  // as auth::open_identity() takes it
    std::string google_key_path;      // of the file that holds the identity's key; "": there is none
    bool has_cluster_secret = false;  // a ClusterTriggerAuthentication's
    bool unsafe_ssl = false;
    bool strict = false;  // as KEDA, defects included

    bool has(std::string_view mode) const;
    // Whose identity asks; authModes exclude one.
    config::identity_family family() const {
        return modes.empty() ? auth::family_of(identity.provider) : config::identity_family::none;
    }
    bool is_azure() const { return family() == config::identity_family::azure; }
    // Its tokens are for a cloud's own services.
    bool is_cloud() const {
        return family() != config::identity_family::none && family() != config::identity_family::bearer;
    }
};

// Whether the trigger has a secret of a ClusterTriggerAuthentication.
bool has_cluster_secret(const config::trigger& trigger);

// The keys of keys.hpp but those of a cloud's own services; the identity is the trigger's.
settings read_settings(config::parameters& parameters, const config::trigger& trigger, config::profile profile);

// The keys of oauth_keys into settings.oauth, for a source that sends tokens of mode oauth.  They are read with every mode, so that
// endpointParams that are not a URL's query are an error as in KEDA.
void read_oauth(config::parameters& parameters, settings& settings);

// customAuthHeader, customAuthValue and bearerToken must be fit to be sent.
void check_headers(config::parameters& parameters, const settings& settings);

bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);

}  // namespace gputide::source::access
