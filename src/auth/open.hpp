// Which credential a podIdentity block asks for, with the parameters of its TriggerAuthentication beside it.
// In: the block, resolved; what the host program allows.  Out: a credential, every setting checked.  No request is made.
// A setting may stand in three places: a parameter (secretTargetRef, configMapTargetRef, env), the block itself (identityId,
// identityTenantId, identityAuthorityHost), the cloud's usual environment variable; the first one that is there counts.
#pragma once

#include "auth/credential.hpp"
#include "config/kinds.hpp"
#include "config/spec.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace gputide::auth {

// The rows of all providers, as the reading of manifests takes them.
std::span<const config::identity_kind> identity_kinds();

// none for an unknown name, and for "".
config::identity_family family_of(std::string_view provider);

// What a webhook puts into the pod for it; empty where a provider takes nothing of that kind.
std::span<const config::injected_setting> injected_settings(std::string_view provider);

// Class config where the provider is none, where a setting is missing, and where the host program does not allow what the
// provider needs; the text names the setting or the option.
result<std::shared_ptr<credential>> open_identity(const config::authentication& identity,
                                                  const host_permissions& permissions,
                                                  const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
