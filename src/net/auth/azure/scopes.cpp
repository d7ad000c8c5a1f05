// The table of scopes and hosts by cloud, and KEDA's names of the clouds.
#include "auth/azure/scopes.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/message.hpp"

#include <utility>

namespace gputide::auth {
namespace {

constexpr std::string_view default_suffix = "/.default";

std::string_view top_domain(azure_cloud cloud) {
    switch (cloud) {
        case azure_cloud::us_government:
            return "us";
        case azure_cloud::china:
            return "cn";
        case azure_cloud::public_cloud:
            break;
    }
    return "com";
}

// Returns the audience with a scope made from the host above its endpoints.
audience of_host(std::string_view name, azure_cloud cloud) {
    const std::string host = format_text("{}.{}", name, top_domain(cloud));
    return {format_text("https://{}/.default", host), {host}};
}

// Outside the public cloud the audience itself ends in a slash, hence the doubled one in its scope.
audience resource_manager(azure_cloud cloud) {
    switch (cloud) {
        case azure_cloud::us_government:
            return {"https://management.usgovcloudapi.net//.default", {"management.usgovcloudapi.net"}};
        case azure_cloud::china:
            return {"https://management.chinacloudapi.cn//.default", {"management.chinacloudapi.cn"}};
        case azure_cloud::public_cloud:
            break;
    }
    return {"https://management.azure.com/.default", {"management.azure.com"}};
}

audience log_analytics(azure_cloud cloud) {
    switch (cloud) {
        case azure_cloud::us_government:
            return {"https://api.loganalytics.us/.default", {"api.loganalytics.us"}};
        case azure_cloud::china:
            return {"https://api.loganalytics.azure.cn/.default", {"api.loganalytics.azure.cn"}};
        case azure_cloud::public_cloud:
            break;
    }
    return {"https://api.loganalytics.io/.default", {"api.loganalytics.azure.com", "api.loganalytics.io"}};
}

}  // namespace

audience azure_audience(azure_api api, azure_cloud cloud) {
    switch (api) {
        case azure_api::managed_prometheus:
            return of_host("prometheus.monitor.azure", cloud);
        case azure_api::metrics_batch:
            return of_host("metrics.monitor.azure", cloud);
        case azure_api::resource_manager:
            return resource_manager(cloud);
        case azure_api::log_analytics:
            return log_analytics(cloud);
    }
    return {};
}

std::optional<azure_cloud> azure_cloud_named(std::string_view name) {
    const auto is = [name](std::string_view known) { return equal_ignoring_case(name, known); };
    if (name.empty() || is("AzurePublicCloud") || is("AzureCloud")) return azure_cloud::public_cloud;
    if (is("AzureUSGovernment") || is("AzureUSGovernmentCloud")) return azure_cloud::us_government;
    if (is("AzureChinaCloud")) return azure_cloud::china;
    return std::nullopt;
}

std::string_view login_endpoint(azure_cloud cloud) {
    switch (cloud) {
        case azure_cloud::us_government:
            return "https://login.microsoftonline.us";
        case azure_cloud::china:
            return "https://login.chinacloudapi.cn";
        case azure_cloud::public_cloud:
            break;
    }
    return "https://login.microsoftonline.com";
}

result<audience> private_audience(std::string_view resource_url, std::string_view key, bool as_it_stands) {
    if (resource_url.empty()) {
        return fail(error_class::config, "{} must be provided for Private cloud type", key);
    }
    audience out;
    if (const auto url = http::parse_url(resource_url)) out.hosts = {url->host};
    out.of_manifest = true;
    if (as_it_stands) {
        out.scope = resource_url;
        return out;
    }
    auto scope = scope_of_resource(resource_url);
    if (!scope) return fail(error_class::config, "{}: {}", key, scope.failure().message);
    out.scope = *std::move(scope);
    return out;
}

result<audience> managed_prometheus_audience(std::string_view cloud, std::string_view resource_url, bool as_it_stands) {
    if (const auto known = azure_cloud_named(cloud)) return azure_audience(azure_api::managed_prometheus, *known);
    if (equal_ignoring_case(cloud, "Private")) {
        return private_audience(resource_url, "azureManagedPrometheusResourceURL", as_it_stands);
    }
    if (equal_ignoring_case(cloud, "AzureGermanCloud")) {
        return fail(error_class::config, "azure managed prometheus is not available in cloud AzureGermanCloud");
    }
    return fail(error_class::config,
                "invalid cloud environment {}; known are AzurePublicCloud, "
                "AzureUSGovernmentCloud, AzureChinaCloud and Private",
                gputide::in_quotes(cloud));
}

result<std::string> scope_of_resource(std::string_view resource) {
    if (resource.empty()) return fail(error_class::config, "scope: expected a resource or scope, got an empty text");
    if (resource.find_first_of(" \t\r\n\f\v") != std::string_view::npos) {
        return fail(error_class::config,
                    "scope: one resource without white space is needed (a token is for one resource), got {}",
                    gputide::in_quotes(resource));
    }
    if (resource.size() >= 8 && resource.substr(resource.size() - 8) == ".default") return std::string(resource);
    if (resource.back() == '/') resource.remove_suffix(1);
    return std::string(resource).append(default_suffix);
}

std::string resource_of_scope(std::string_view scope) {
    if (scope.size() >= default_suffix.size() && scope.substr(scope.size() - default_suffix.size()) == default_suffix) {
        scope.remove_suffix(default_suffix.size());
    }
    return std::string(scope);
}

}  // namespace gputide::auth
