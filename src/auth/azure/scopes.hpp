// Azure's metric APIs by cloud: the scope to ask a token for and the hosts that may see it.
// Comes in: KEDA's `cloud` metadata; goes out: an audience.  No I/O.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

enum class azure_cloud { public_cloud, us_government, china };
enum class azure_api { managed_prometheus, resource_manager, metrics_batch, log_analytics };

audience azure_audience(azure_api api, azure_cloud cloud);

// KEDA's names for the clouds, without case: AzurePublicCloud, AzureCloud and "" for the public one;
// AzureUSGovernment, AzureUSGovernmentCloud; AzureChinaCloud.  Nothing for every other name, Private included.
std::optional<azure_cloud> azure_cloud_named(std::string_view name);

// Where that cloud's identities sign in: "https://login.microsoftonline.com".
std::string_view login_endpoint(azure_cloud cloud);

// A cloud of somebody's own: the resource URL, as metadata key `key` gives it, is whom the token is for and the only host
// that may see it.  `as_it_stands` (strict profile) takes the URL unchanged as the scope.
result<audience> private_audience(std::string_view resource_url, std::string_view key, bool as_it_stands);

// KEDA's prometheus metadata cloud and azureManagedPrometheusResourceURL
// (kedacore/keda pkg/scalers/azure/azure_managed_prometheus_http_round_tripper.go).  Clouds compare without case; "" is
// the public one.  Private takes the resource URL as the scope: `as_it_stands` (strict profile) sends it unchanged,
// otherwise it becomes a scope as any resource does.  Errors are status::invalid in KEDA's words.
result<audience> managed_prometheus_audience(std::string_view cloud, std::string_view resource_url, bool as_it_stands);

// A resource as a scope: loses one trailing slash and gains "/.default"; one that ends in ".default" is not touched.
// White space inside and an empty text are errors that name `scope`.
result<std::string> scope_of_resource(std::string_view resource);

// The other way, for endpoints that take a resource: without its "/.default".
std::string resource_of_scope(std::string_view scope);

}  // namespace gputide::auth
