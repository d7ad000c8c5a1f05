// Google tokens: of a service account by its key, or of the machine from its metadata server.  The scope is used unchanged, e.g.
// https://www.googleapis.com/auth/monitoring.read.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string_view>

namespace gputide::auth {

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

}  // namespace gputide::auth
