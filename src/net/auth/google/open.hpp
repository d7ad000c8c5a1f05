// Tokens of Google: of a service account by its key, or of the machine by its metadata server.
// The scope is used unchanged, e.g. https://www.googleapis.com/auth/monitoring.read.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

// Value of podIdentity.provider.
inline constexpr std::string_view google_provider = "gcp";

inline constexpr std::string_view google_monitoring_scope = "https://www.googleapis.com/auth/monitoring.read";

// A service account's key from its JSON file.  token_uri must be oauth2.googleapis.com, or loopback, or allowed by the
// host program (allow_custom_authority).  Other kinds of JSON credentials are class config and named.
result<std::shared_ptr<credential>> open_google_key(const secret_text& json, const host_permissions& permissions);

// The metadata server of Compute Engine and GKE; GCE_METADATA_HOST overrides its address, with loopback or link-local
// only.
result<std::shared_ptr<credential>> open_google_metadata(const std::shared_ptr<const surroundings>& host);

// Application default credentials: the key file that GOOGLE_APPLICATION_CREDENTIALS names → metadata server.
result<std::shared_ptr<credential>> open_google_default(const host_permissions& permissions,
                                                        const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
