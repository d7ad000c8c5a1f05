// Opens the credential of a podIdentity block with the parameters of its TriggerAuthentication and the host program's
// permissions.  Checks all settings; sends nothing.  A setting has three sources; the first that is set is used: a parameter
// (secretTargetRef, configMapTargetRef, env), the block itself (identityId, identityTenantId, identityAuthorityHost), and the
// cloud's usual environment variable.
#pragma once

#include "auth/credential.hpp"
#include "manifest/kinds.hpp"
#include "manifest/spec.hpp"

#include <memory>
#include <span>
#include <string_view>

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

}  // namespace gputide::auth
