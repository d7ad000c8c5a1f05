// The common part of the triggers azure-monitor and azure-log-analytics: keys, endpoint and credential, documents.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/open.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <simdjson.h>

#include <optional>
#include <string>

namespace gputide::source::azure {

inline constexpr auto cloud_keys = text::of_access(text::fields({
    {.names = {"cloud"},
     .otherwise = "`AzurePublicCloud`",
     .range = "`AzurePublicCloud`, `AzureUSGovernmentCloud`, `AzureChinaCloud`, `Private`; case-insensitive",
     .meaning = "the cloud of the API and the identities"},
    {.names = {"activeDirectoryEndpoint"},
     .otherwise = "the cloud's own",
     .meaning = "login endpoint of the identities; a host outside Azure must be allowed by the host program"},
}));

// Endpoint and credential of an Azure API, for the triggers azure-monitor and azure-log-analytics.  Input: `cloud`, a private
// cloud's address, a client secret or a pod identity.  Reads the environment (workload identity) if services.host is set; sends
// nothing.

struct endpoint {
    std::string base;  // "https://management.azure.com", without a trailing slash
    auth::audience audience;
    std::optional<std::string> authority;  // login endpoint of that cloud; nullopt: AZURE_AUTHORITY_HOST decides
};

// Reads the keys `cloud` and, for a private cloud, `private_url` and activeDirectoryEndpoint
// (kedacore/keda pkg/scalers/azure/azure_cloud_environment.go).  Errors go to `read`.
endpoint read_endpoint(trigger_reader& read, auth::azure_api api, text::text_key private_url, bool strict);

// The caller: an Azure identity (podIdentity), or an application and its secret.
struct client : auth::client_secret_settings {  // without an authority: that of the endpoint applies
    manifest::authentication identity;

    bool has_identity() const { return auth::family_of(identity.provider) == manifest::identity_family::azure; }
    bool needs_secret() const { return identity.provider.empty() || identity.provider == "none"; }
};

// The common part of the settings of both triggers.
struct settings : common_settings {
    azure::endpoint where;
    client who;
    bool unsafe_ssl = false;
};

// Opens the credential of a podIdentity.  `authority`: login endpoint of the trigger's cloud, for an application that sets none.
// The strict profile ignores identityAuthorityHost, because KEDA does not pass it on here.  Returns null if services.host is
// null.
result<std::shared_ptr<auth::credential>> open_identity(const manifest::authentication& identity,
                                                        const std::optional<std::string>& authority, bool strict,
                                                        const services& services);

result<auth::authenticator> open_access(const settings& settings, const services& services);

// Responses of Azure's metric APIs: a JSON document.  Pure.

// Calls `how` with the body's outermost object, which is valid only during the call.  A truncated body or one that is not an
// object is class protocol; the error never quotes the body.
result<reading> read_document(const http::answer& answer, function_ref<result<reading>(simdjson::dom::object)> how);

error unusable(std::string text);  // a response that does not match the API's documentation: class protocol
error no_data(std::string text);   // a valid response without a number: class no_data

}  // namespace gputide::source::azure
