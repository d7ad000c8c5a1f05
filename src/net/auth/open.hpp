// Opens the credential of a podIdentity block, with the parameters of its TriggerAuthentication.
// In: the resolved block; the host program's permissions.  Out: a credential with checked settings.  No request is
// made.
// A setting may come from three places: a parameter (secretTargetRef, configMapTargetRef, env), the block itself
// (identityId, identityTenantId, identityAuthorityHost), the cloud's usual environment variable; the first one that is
// set counts.
#pragma once

#include "auth/credential.hpp"
#include "manifest/kinds.hpp"
#include "manifest/spec.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace gputide::auth {

// Returns the rows of all providers, for the manifest reader.
std::span<const manifest::identity_kind> identity_kinds();

// Returns none for an unknown name, and for "".
manifest::identity_family family_of(std::string_view provider);

// Returns the pod settings that a webhook adds for the provider; empty if there are none.
std::span<const manifest::injected_setting> injected_settings(std::string_view provider);

// Class config if the provider is unknown, if a setting is missing, and if the host program does not allow what the
// provider needs; the text names the setting or the option.
result<std::shared_ptr<credential>> open_identity(const manifest::authentication& identity,
                                                  const host_permissions& permissions,
                                                  const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
