// Where an Azure API lives and who asks it: what the triggers azure-monitor and azure-log-analytics have in common.
// Comes in: `cloud`, a private cloud's address, a client secret or a pod identity; goes out: an endpoint and an
// authenticator.  Reads the environment (workload identity) where services.host is set; sends nothing.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/azure/scopes.hpp"
#include "auth/open.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/parameters.hpp"
#include "source/source.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::azure {

struct endpoint {
    std::string base;  // "https://management.azure.com", no slash at its end
    auth::audience audience;
    std::optional<std::string> authority;  // where identities of that cloud sign in; else AZURE_AUTHORITY_HOST decides
};

// The keys `cloud` and, for a cloud of somebody's own, `private_url` and activeDirectoryEndpoint
// (kedacore/keda pkg/scalers/azure/azure_cloud_environment.go).  Errors go to `parameters`.
endpoint read_endpoint(config::parameters& parameters, auth::azure_api api, config::text_key private_url, bool strict);

// Who asks.  With an identity of Azure (podIdentity) that one, else an application and its secret.
struct client {
    config::authentication identity;
    std::string tenant_id;
    std::string client_id;
    secret_text client_secret;

    bool has_identity() const { return auth::family_of(identity.provider) == config::identity_family::azure; }
    bool needs_secret() const { return identity.provider.empty() || identity.provider == "none"; }
};

// The credential of a podIdentity.  `authority` is the login endpoint of the trigger's cloud, for an application that names
// none.  KEDA does not pass identityAuthorityHost on in these places; the strict profile neither.  Null where `services` has no
// host to read from.
result<std::shared_ptr<auth::credential>> open_identity(const config::authentication& identity,
                                                        const std::optional<std::string>& authority, bool strict,
                                                        const services& services);

struct access_question {
    const azure::endpoint& where;
    const client& who;
    bool verify_tls = true;
    bool strict = false;
};
result<auth::authenticator> open_access(const access_question& question, const services& services);

}  // namespace gputide::source::azure
