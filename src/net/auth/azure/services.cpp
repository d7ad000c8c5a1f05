// The table of scopes and hosts by cloud, and KEDA's names of the clouds.
#include "auth/azure/services.hpp"

#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>
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

// Returns the audience of a host; its scope is the common parent of the endpoints' hosts.
audience of_host(std::string_view name, azure_cloud cloud) {
    const std::string host = format_text("{}.{}", name, top_domain(cloud));
    return {format_text("https://{}/.default", host), {host}};
}

// Outside the public cloud the audience ends in a slash, so its scope has a double slash.
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
                    "scope: expected one resource without white space (a token is for one resource), got {}",
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

// Checks the authority.  The list of hosts is MSAL's list of trusted hosts (AzureAD/microsoft-authentication-library-for-go
// apps/internal/oauth/ops/authority/authority.go, 1.9.0).  A fixed list needs no discovery request and cannot be spoofed.

namespace {

constexpr std::string_view default_authority = "https://login.microsoftonline.com";

constexpr std::array<std::string_view, 13> known_hosts = {
    "login.microsoftonline.com",
    "login.microsoft.com",  // public
    "login.windows.net",
    "sts.windows.net",
    "login.microsoftonline.us",
    "login.usgovcloudapi.net",
    "login-us.microsoftonline.com",  // US government
    "login.partner.microsoftonline.cn",
    "login.chinacloudapi.cn",    // China
    "login.microsoftonline.de",  // retired
    "login.sovcloud-identity.fr",
    "login.sovcloud-identity.de",
    "login.sovcloud-identity.sg",
};

bool known(const http::url_parts& url) {
    const bool plain = url.port == 443 && (url.path.empty() || url.path == "/");
    return plain && std::ranges::find(known_hosts, url.host) != known_hosts.end();
}

error_ptr refused(std::string_view named, const std::string& why) {
    return fail(error_class::authority, "{}: the authority {}", named, why);
}

std::string canonical(const http::url_parts& url) {
    const bool v6 = url.host.find(':') != std::string::npos;
    std::string out = "https://" + (v6 ? format_text("[{}]", url.host) : url.host);
    if (url.port != 443) out += format_text(":{}", url.port);
    std::string_view path = url.path;
    while (!path.empty() && path.back() == '/') path.remove_suffix(1);
    return out.append(path);
}

result<std::string> checked_authority(std::string_view text, std::string_view named,
                                      const host_permissions& permissions, bool is_loopback_allowed) {
    if (text.empty()) return std::string(default_authority);
    const auto url = http::parse_url(text);
    if (!url) {
        return refused(named, format_text("must be a URL such as {}/, got {}", default_authority,
                                          gputide::in_quotes(redact(text))));
    }
    if (url->scheme != "https") {
        return refused(named,
                       format_text("must use https, got {} (host {}): an assertion is sent there and must be encrypted",
                                   url->scheme, url->host));
    }
    if (const std::string extra = extra_part(*url); !extra.empty()) return refused(named, extra);
    const bool is_own = is_loopback_allowed && http::is_loopback(url->host);
    if (known(*url) || is_own || permissions.allow_custom_authority) return canonical(*url);
    return refused(
        named,
        format_text("{} (host {}) is not a known login endpoint of Azure. If it is your own, allow a custom authority "
                    "in the host program (allow_custom_authority); otherwise use {}/ or the endpoint of your cloud",
                    gputide::in_quotes(redact_url(text)), url->host, default_authority));
}

}  // namespace

result<std::string> read_authority(const std::optional<std::string>& given, std::string_view key,
                                   const host_permissions& permissions, const surroundings& host) {
    if (given && !given->empty()) {
        return checked_authority(*given, key, permissions, permissions.tenant.may(capability::loopback_tokens));
    }
    constexpr const char* variable = "AZURE_AUTHORITY_HOST";
    return checked_authority(host.variable(variable), variable, permissions, true);
}

result<void> check_cluster_authority(std::string_view authority, const host_permissions& permissions) {
    const auto url = http::parse_url(authority);
    if (url && known(*url)) return {};
    return permissions.tenant.check_cluster_secret(url ? url->host : authority);
}

result<std::string> checked_tenant(std::string_view text, std::string_view named) {
    const bool characters =
        std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; });
    if (!text.empty() && characters && text != "." && text != "..") return std::string(text);
    return fail(error_class::config,
                "{}: the tenant must be a GUID or a verified domain of letters, digits, '.' and '-', got {}", named,
                gputide::in_quotes(redact(text)));
}

std::string extra_part(const http::url_parts& url) {
    if (url.has_user_info) return "must not contain user information before the host " + url.host;
    if (url.has_query) return format_text("must not contain a query (host {})", url.host);
    return url.has_fragment ? format_text("must not contain a fragment (host {})", url.host) : std::string();
}

bool is_adfs(std::string_view tenant) { return equal_ignoring_case(tenant, "adfs"); }

std::string token_url(std::string_view base, std::string_view tenant) {
    while (!base.empty() && base.back() == '/') base.remove_suffix(1);
    std::string out(base);
    if (is_adfs(tenant)) return out + "/adfs/oauth2/token";
    return out.append("/").append(tenant).append("/oauth2/v2.0/token");
}

result<std::string> scope_for(std::string_view scope_or_resource, std::string_view tenant) {
    auto scope = scope_of_resource(scope_or_resource);
    if (!scope || !is_adfs(tenant)) return scope;
    return resource_of_scope(*scope);
}

}  // namespace gputide::auth
