// Creates header, TLS settings and token source from the settings.
#include "auth/open.hpp"

#include "auth/aws/aws.hpp"
#include "auth/azure/services.hpp"
#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/azure/azure.hpp"

namespace gputide::source::access {
namespace {

std::optional<http::header> static_header(const settings& settings) {
    if (settings.has("bearer")) return auth::bearer_header(settings.bearer_token);
    if (settings.has("basic")) return auth::basic_header(settings.username.reveal(), settings.password);
    if (settings.has("custom") && !settings.custom_header.empty())
        return http::header{std::string(settings.custom_header.reveal()), settings.custom_value};
    return std::nullopt;
}

std::shared_ptr<const http::tls_settings> tls_of(const settings& settings, const services& services) {
    const bool ca_counts = !settings.ca.empty() && !(settings.strict && settings.modes.empty());
    http::tls_settings out = auth::connection_of(services.permissions);
    if (ca_counts) {
        out.ca_pem = settings.ca.reveal();
        out.ca_file.clear();
    }
    if (settings.has("tls")) {
        out.client_certificate_pem = settings.certificate;
        out.client_key_pem = settings.key;
    }
    const bool replaced_transport =
        ca_counts || settings.has("tls") || settings.is_azure() || settings.family() == manifest::identity_family::aws;
    out.verify = !settings.unsafe_ssl || (settings.strict && replaced_transport);
    return auth::shared_settings(std::move(out));
}

// Adds an Azure identity.
result<void> add_azure(const settings& settings, const manifest::authentication& identity, const services& services,
                       auth::access& access) {
    auto audience = auth::managed_prometheus_audience(settings.cloud, settings.azure_resource_url, settings.strict);
    if (!audience) return audience.take_failure();
    access.audience = *std::move(audience);
    std::optional<std::string> authority;
    const auto cloud = auth::azure_cloud_named(settings.cloud);
    if (cloud && *cloud != auth::azure_cloud::public_cloud) authority = auth::login_endpoint(*cloud);
    auto opened = azure::open_identity(identity, authority, settings.strict, services);
    if (!opened) return opened.take_failure();
    access.credential = *std::move(opened);
    return {};
}

// Opens the identity if the settings of the host can be read.
result<void> add_credential(const manifest::authentication& identity, const services& services, auth::access& access) {
    if (!services.host) return {};
    auto opened = auth::open_identity(identity, services.permissions, services.host);
    if (!opened) return opened.take_failure();
    access.credential = *std::move(opened);
    return {};
}

// Adds AWS keys, which sign for Amazon Managed Prometheus ("aps").
result<void> add_aws(const std::string& address, const manifest::authentication& identity, const services& services,
                     auth::access& access) {
    const auto written = identity.parameters.find("awsRegion");
    std::string region(written == identity.parameters.end() ? std::string_view() : trim(written->second.reveal()));
    const auto url = http::parse_url(address);
    if (region.empty() && url) region = auth::region_of_host(url->host);
    if (region.empty() && services.host) region = auth::aws_region_of(*services.host);
    if (services.host && !auth::is_aws_region(region)) {
        return fail(error_class::config, "awsRegion: expected a region such as eu-west-1, got {}", in_quotes(region));
    }
    access.audience = {"requests signed for " + region, {"amazonaws.com", "amazonaws.com.cn"}};
    access.signing = auth::aws_target{region, "aps"};
    manifest::authentication wanted = identity;
    wanted.parameters["awsRegion"] = secret_text(region);
    return add_credential(wanted, services, access);
}

result<void> add_google(const manifest::authentication& identity, const services& services, auth::access& access) {
    access.audience = {std::string(auth::google_monitoring_scope), {"googleapis.com"}};
    return add_credential(identity, services, access);
}

// Adds the token of a file or program.  The token does not name its audience, so it is never sent to a host just because a
// manifest names it: the host program must list the host (allowed_token_hosts).
result<void> add_bearer(const std::string& address, const manifest::authentication& identity, const services& services,
                        auth::access& access) {
    const auto url = http::parse_url(address);
    if (url) access.audience.scope = format_text("{}://{}", url->scheme, http::host_and_port(url->host, url->port));
    return add_credential(identity, services, access);
}

result<void> add_identity(const settings& settings, const std::string& address,
                          const manifest::authentication& identity, const services& services, auth::access& access) {
    switch (settings.family()) {
        case manifest::identity_family::azure:
            return add_azure(settings, identity, services, access);
        case manifest::identity_family::aws:
            return add_aws(address, identity, services, access);
        case manifest::identity_family::google:
            return add_google(identity, services, access);
        case manifest::identity_family::bearer:
            return add_bearer(address, identity, services, access);
        case manifest::identity_family::none:
            break;
    }
    return {};
}

// Adds a token that the manifest's own client requests for the manifest's own address.
result<void> add_oauth(const settings& settings, const std::string& address, const services& services,
                       auth::access& access) {
    auth::client_credentials_settings wanted = *settings.oauth;
    wanted.tls = access.tls;
    wanted.is_cluster_wide = settings.has_cluster_secret;
    auto opened = auth::open_client_credentials(wanted, services.permissions);
    if (!opened) return opened.take_failure();
    access.audience.scope = "authModes oauth";
    if (const auto url = http::parse_url(address)) access.audience.hosts = {url->host};
    if (services.host) access.credential = *std::move(opened);
    return {};
}

// Returns the identity, with the Google service account key from the file settings.google_key_path if that is set.
result<manifest::authentication> read_key_file(const settings& settings, const services& services) {
    manifest::authentication out = settings.identity;
    if (settings.google_key_path.empty() || !services.host || settings.family() != manifest::identity_family::google)
        return out;
    const auto content = services.host->read_file(settings.google_key_path, limits::secret_file_bytes);
    if (!content) return auth::unread_file("credentialsFromEnvFile", content.failure());
    out.parameters.emplace("GoogleApplicationCredentials", *content);
    return out;
}

}  // namespace

result<auth::authenticator> open(const settings& settings, const std::string& address, const services& services) {
    const auto identity = read_key_file(settings, services);
    if (!identity) return identity.failure();
    auth::access access;
    access.header = static_header(settings);
    access.of_host = settings.family() != manifest::identity_family::none;
    // A header is also sent along with an identity's token.
    access.is_cluster_wide = settings.has_cluster_secret && (!access.of_host || access.header);
    access.tls = tls_of(settings, services);
    if (access.tls) {
        if (const auto fits = http::check_client_certificate(*access.tls); !fits) {
            return fail(fits.failure().error_class, "cert, key: " + fits.failure().message);
        }
    }
    if (auto added = add_identity(settings, address, *identity, services, access); !added) return added.take_failure();
    if (settings.oauth) {
        if (auto added = add_oauth(settings, address, services, access); !added) return added.take_failure();
    }
    return auth::authenticator(std::move(access), services.permissions, services.tokens);
}

result<void> check_cloud(const settings& settings) {
    if (!settings.is_azure()) return {};
    auto audience = auth::managed_prometheus_audience(settings.cloud, settings.azure_resource_url, settings.strict);
    if (!audience) return audience.take_failure();
    return {};
}

result<kube::access> open_api_server(const services& services) {
    return kube::open_access(services.cluster, services.host, services.permissions, services.tokens);
}

}  // namespace gputide::source::access
