// The keys that azure-monitor and azure-log-analytics have alike.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/azure/scopes.hpp"
#include "auth/open.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"
#include "manifest/parameters.hpp"
#include "source/source.hpp"
#include "text/field.hpp"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::azure {

inline constexpr auto cloud_keys = text::of_access(text::fields({
    {.names = {"cloud"},
     .otherwise = "`AzurePublicCloud`",
     .range = "`AzurePublicCloud`, `AzureUSGovernmentCloud`, `AzureChinaCloud`, `Private`; letter case does not count",
     .meaning = "where the API and the identities live"},
    {.names = {"activeDirectoryEndpoint"},
     .otherwise = "the cloud's own",
     .meaning = "where identities sign in; a host that is none of Azure's must be allowed by the host program"},
}));

// Endpoint and credential of an Azure API: the common part of the triggers azure-monitor and azure-log-analytics.
// In: `cloud`, a private cloud's address, a client secret or a pod identity; out: an endpoint and an
// authenticator.  Reads the environment (workload identity) where services.host is set; sends nothing.

struct endpoint {
    std::string base;  // "https://management.azure.com", no slash at its end
    auth::audience audience;
    std::optional<std::string> authority;  // where identities of that cloud sign in; else AZURE_AUTHORITY_HOST decides
};

// Reads the keys `cloud` and, for a private cloud, `private_url` and activeDirectoryEndpoint
// (kedacore/keda pkg/scalers/azure/azure_cloud_environment.go).  Errors go to `parameters`.
endpoint read_endpoint(manifest::parameters& parameters, auth::azure_api api, text::text_key private_url, bool strict);

// The caller: an identity of Azure (podIdentity), else an application and its secret.
struct client {
    manifest::authentication identity;
    std::string tenant_id;
    std::string client_id;
    secret_text client_secret;

    bool has_identity() const { return auth::family_of(identity.provider) == manifest::identity_family::azure; }
    bool needs_secret() const { return identity.provider.empty() || identity.provider == "none"; }
};

// The credential of a podIdentity.  `authority` is the login endpoint of the trigger's cloud, for an application that names
// none.  KEDA does not pass identityAuthorityHost on in these places; the strict profile neither.  Null where `services` has no
// host to read from.
result<std::shared_ptr<auth::credential>> open_identity(const manifest::authentication& identity,
                                                        const std::optional<std::string>& authority, bool strict,
                                                        const services& services);

struct access_question {
    const azure::endpoint& where;
    const client& who;
    bool verify_tls = true;
    bool strict = false;
};
result<auth::authenticator> open_access(const access_question& question, const services& services);

// Answers of Azure's metric APIs: a JSON document.  Pure.

// Reads the body's outermost object, which lives as long as `how` runs.  Cut, foreign or no object: class protocol; the
// body is never quoted.
result<reading> read_document(const http::answer& answer,
                              const std::function<result<reading>(simdjson::dom::object)>& how);

error unusable(std::string text);  // an answer that is not what the API documents: class protocol
error no_data(std::string text);   // a good answer without a number: class no_data

}  // namespace gputide::source::azure
