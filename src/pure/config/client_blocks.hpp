// The blocks of a TriggerAuthentication that name a client and its secret: oauth2 and azureServicePrincipal.
// In: a block.  Out: values and references, and what KEDA's webhook refuses in it.  No secret is looked up.
#pragma once

#include "config/authentication.hpp"

namespace gputide::config {

// oauth2 as the parameters of authModes oauth: oauthTokenURI, clientID, clientSecret, scopes, endpointParams (kedacore/keda
// pkg/scaling/resolver/scale_resolvers.go resolveAuthRef @v2.21.0).  is_validated: false where KEDA's webhook does not look at the
// block; what is wrong with it is a warning then.
void read_oauth2(const cursor& block, bool is_validated, written_authentication& out, report& findings);

// azureServicePrincipal (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go @v2.21.0).
service_principal read_service_principal(const cursor& block, std::span<const identity_kind> identities,
                                         report& findings);

}  // namespace gputide::config
