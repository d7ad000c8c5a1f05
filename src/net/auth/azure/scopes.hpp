// Azure's metric APIs by cloud: the scope of a token and the hosts that may receive it.
// In: KEDA's `cloud` metadata; out: an audience.  No I/O.
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

// Parses KEDA's cloud names, ignoring case: AzurePublicCloud, AzureCloud and "" for the public one; AzureUSGovernment,
// AzureUSGovernmentCloud; AzureChinaCloud.  Nothing for every other name, including Private.
std::optional<azure_cloud> azure_cloud_named(std::string_view name);

// Returns the login endpoint of that cloud: "https://login.microsoftonline.com".
std::string_view login_endpoint(azure_cloud cloud);

// Returns the audience of a private cloud: the resource URL, given by metadata key `key`, is the token's audience and
// the only host that may receive it.  `as_it_stands` (strict profile) takes the URL unchanged as the scope.
result<audience> private_audience(std::string_view resource_url, std::string_view key, bool as_it_stands);

// Reads KEDA's prometheus metadata cloud and azureManagedPrometheusResourceURL (kedacore/keda
// pkg/scalers/azure/azure_managed_prometheus_http_round_tripper.go).  Cloud names ignore case; "" is the public one.
// Private takes the resource URL as the scope: `as_it_stands` (strict profile) sends it unchanged, otherwise it is
// converted like any resource.  Errors are status::invalid with KEDA's text.
result<audience> managed_prometheus_audience(std::string_view cloud, std::string_view resource_url, bool as_it_stands);

// Converts a resource to a scope: removes one trailing slash and appends "/.default"; a text that ends in ".default" is
// unchanged.  White space inside and an empty text are errors that name `scope`.
result<std::string> scope_of_resource(std::string_view resource);

// Converts a scope back to a resource, for endpoints that take one: removes "/.default".
std::string resource_of_scope(std::string_view scope);

}  // namespace gputide::auth
