// Azure's services.  Its clouds: the scope of a token, the hosts that may receive it, and the authority (login endpoint and tenant)
// that issues it.  Input: KEDA's `cloud` metadata, the environment or a manifest.  Returns an audience or the URL of the token
// endpoint.  No I/O.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

// Reads and checks the authority: "https://login.microsoftonline.com", without a trailing slash.  `given` is the manifest's
// value; `key` names it in errors.  If it is "" or absent, AZURE_AUTHORITY_HOST applies, otherwise the public cloud.  A valid
// assertion is sent there, so the scheme must be https.  The host must be a known login host or loopback, unless the host program
// allows a custom authority.  Loopback in a tenant's manifest needs a capability; the environment belongs to the host program.
result<std::string> read_authority(const std::optional<std::string>& given, std::string_view key,
                                   const host_permissions& permissions, const surroundings& host);

// Checks whether a secret of a ClusterTriggerAuthentication, or an assertion signed by its certificate, may be sent to a checked
// authority.  If the host program lists the hosts for such secrets, only these and the known login hosts are allowed.
result<void> check_cluster_authority(std::string_view authority, const host_permissions& permissions);

// Returns the tenant for the URL: letters, digits, '.' and '-' (Azure/azure-sdk-for-cpp tenant_id_resolver.cpp); "."
// and ".." are rejected as well.
result<std::string> checked_tenant(std::string_view text, std::string_view named);

// Returns "must not contain a query (host x)" if another path cannot follow the URL, else "".
std::string extra_part(const http::url_parts& url);

// Azure Stack's identity provider: another path, and scopes without "/.default"
bool is_adfs(std::string_view tenant);

// Returns {base}/{tenant}/oauth2/v2.0/token without a double slash; {base}/adfs/oauth2/token for adfs.
std::string token_url(std::string_view base, std::string_view tenant);

// Returns the scope in the form that the tenant's endpoint accepts.
result<std::string> scope_for(std::string_view scope_or_resource, std::string_view tenant);

enum class azure_cloud { public_cloud, us_government, china };
enum class azure_api { managed_prometheus, resource_manager, metrics_batch, log_analytics };

audience azure_audience(azure_api api, azure_cloud cloud);

// Parses KEDA's cloud names, ignoring case: AzurePublicCloud, AzureCloud and "" for the public cloud; AzureUSGovernment,
// AzureUSGovernmentCloud; AzureChinaCloud.  Returns nullopt for every other name, including Private.
std::optional<azure_cloud> azure_cloud_named(std::string_view name);

// Returns the login endpoint of that cloud: "https://login.microsoftonline.com".
std::string_view login_endpoint(azure_cloud cloud);

// Returns the audience of a private cloud: the resource URL, from the metadata key `key`, is the token's audience and its host
// the only one that may receive the token.  With `as_it_stands` (strict profile) the scope is the unchanged URL.
result<audience> private_audience(std::string_view resource_url, std::string_view key, bool as_it_stands);

// Reads KEDA's prometheus metadata cloud and azureManagedPrometheusResourceURL (kedacore/keda
// pkg/scalers/azure/azure_managed_prometheus_http_round_tripper.go).  Case of cloud names is ignored; "" is the public cloud.
// For Private the resource URL is the scope: unchanged with `as_it_stands` (strict profile), otherwise converted like any
// resource.  Errors are status::invalid with KEDA's text.
result<audience> managed_prometheus_audience(std::string_view cloud, std::string_view resource_url, bool as_it_stands);

// Converts a resource to a scope: removes one trailing slash and appends "/.default".  A text that ends in ".default" stays
// unchanged.  An empty text or white space inside is an error that names `scope`.
result<std::string> scope_of_resource(std::string_view resource);

// Converts a scope to a resource, for endpoints that require one: removes "/.default".
std::string resource_of_scope(std::string_view scope);

// Errors of Azure's endpoints: class, text, remedy, and whether to drop the token.  Pure.

// Entra's error numbers: meaning and remedy.  All texts and classes for these numbers come from this table.  Microsoft may change
// the numbers, so an unknown number is classified by the OAuth error code and the HTTP status.

struct aadsts_code {
    std::int64_t number;
    error_class kind;
    std::string_view meaning;
    std::string_view fix;  // empty: the only remedy is to wait
};

// Returns null if the number is not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

// Returns the error of a metric endpoint's response that is not 2xx, in Prometheus' format {status, errorType, error} or in ARM's,
// {"error": {code, message, innererror}} or its inner object; the service's Retry-After is in retry_after_ms.  Class auth: a
// repetition with a new token may succeed.  `url` gives the host in the text; `role` is the role that the request needs, "":
// derived from the host.
std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

}  // namespace gputide::auth
