// Chooses header, TLS settings and token of a prometheus trigger.
#include "source/prometheus/access.hpp"

#include "auth/aws/open.hpp"
#include "auth/azure/scopes.hpp"
#include "auth/connection.hpp"
#include "auth/google/open.hpp"
#include "auth/open.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "source/azure/access.hpp"
#include "source/prometheus/identity.hpp"

namespace gputide::source::prometheus {
namespace {

std::optional<http::header> static_header(const access_settings& from) {
    if (from.has("bearer")) return auth::bearer_header(from.bearer_token);
    if (from.has("basic")) return auth::basic_header(from.username.reveal(), from.password);
    if (from.has("custom")) return http::header{std::string(from.custom_header.reveal()), from.custom_value};
    return std::nullopt;
}

std::shared_ptr<const http::tls_settings> tls_of(const settings& from, const services& with) {
    const access_settings& access = from.access;
    const bool ca_counts = !access.ca.empty() && !(from.strict && access.modes.empty());
    http::tls_settings out = auth::connection_of(with.permissions);
    if (ca_counts) {
        out.ca_pem = access.ca.reveal();
        out.ca_file.clear();
    }
    if (access.has("tls")) {
        out.client_certificate_pem = access.certificate;
        out.client_key_pem = access.key;
    }
    const bool replaced_transport =
        ca_counts || access.has("tls") || access.is_azure() || access.family() == config::identity_family::aws;
    out.verify = !from.unsafe_ssl || (from.strict && replaced_transport);
    return auth::is_usual(out) ? nullptr : std::make_shared<const http::tls_settings>(std::move(out));
}

// Tokens of an identity of Azure.
result<void> add_azure(const settings& from, const config::authentication& identity, const services& with,
                       auth::access& into) {
    auto audience = auth::managed_prometheus_audience(from.access.cloud, from.access.azure_resource_url, from.strict);
    if (!audience) return std::move(audience).failure();
    into.audience = *std::move(audience);
    std::optional<std::string> authority;
    const auto cloud = auth::azure_cloud_named(from.access.cloud);
    if (cloud && *cloud != auth::azure_cloud::public_cloud) authority = auth::login_endpoint(*cloud);
    auto opened = azure::open_identity(identity, authority, from.strict, with);
    if (!opened) return std::move(opened).failure();
    into.credential = *std::move(opened);
    return {};
}

// Opens the identity where there is a host to read from.
result<void> add_credential(const config::authentication& identity, const services& with, auth::access& into) {
    if (!with.host) return {};
    auto opened = auth::open_identity(identity, with.permissions, with.host);
    if (!opened) return std::move(opened).failure();
    into.credential = *std::move(opened);
    return {};
}

// Keys of AWS sign for Amazon Managed Prometheus ("aps").
result<void> add_aws(const settings& from, const config::authentication& identity, const services& with,
                     auth::access& into) {
    const auto written = identity.parameters.find("awsRegion");
    std::string region(written == identity.parameters.end() ? std::string_view() : trim(written->second.reveal()));
    const auto url = http::parse_url(from.server_address);
    if (region.empty() && url) region = auth::region_of_host(url->host);
    if (region.empty() && with.host) region = auth::aws_region_of(*with.host);
    if (with.host && !auth::is_aws_region(region)) {
        return fail(error_class::config, "awsRegion: expected a region such as eu-west-1, got " + quoted(region));
    }
    into.audience = {"requests signed for " + region, {"amazonaws.com", "amazonaws.com.cn"}};
    into.signing = auth::aws_target{region, "aps"};
    config::authentication wanted = identity;
    wanted.parameters["awsRegion"] = secret_text(region);
    return add_credential(wanted, with, into);
}

result<void> add_google(const config::authentication& identity, const services& with, auth::access& into) {
    into.audience = {std::string(auth::google_monitoring_scope), {"googleapis.com"}};
    return add_credential(identity, with, into);
}

// A file's or a program's token.  It does not say whom it is for, so no host of a manifest gets it: the host program names
// those that do (allowed_token_hosts).
result<void> add_bearer(const settings& from, const config::authentication& identity, const services& with,
                        auth::access& into) {
    const auto url = http::parse_url(from.server_address);
    if (url) into.audience.scope = url->scheme + "://" + http::host_and_port(url->host, url->port);
    return add_credential(identity, with, into);
}

result<void> add_identity(const settings& from, const config::authentication& identity, const services& with,
                          auth::access& into) {
    switch (from.access.family()) {
        case config::identity_family::azure:
            return add_azure(from, identity, with, into);
        case config::identity_family::aws:
            return add_aws(from, identity, with, into);
        case config::identity_family::google:
            return add_google(identity, with, into);
        case config::identity_family::bearer:
            return add_bearer(from, identity, with, into);
        case config::identity_family::none:
            break;
    }
    return {};
}

}  // namespace

result<auth::authenticator> open_access(const settings& from, const config::authentication& identity,
                                        const services& with) {
    auth::access how;
    how.header = static_header(from.access);
    how.tls = tls_of(from, with);
    if (auto added = add_identity(from, identity, with, how); !added) return std::move(added).failure();
    return auth::authenticator(std::move(how), with.permissions, with.tokens);
}

result<void> check_cloud(const settings& settings) {
    if (!settings.access.is_azure()) return {};
    auto audience =
        auth::managed_prometheus_audience(settings.access.cloud, settings.access.azure_resource_url, settings.strict);
    if (!audience) return std::move(audience).failure();
    return {};
}

result<config::authentication> read_key_file(const settings& settings, const services& services) {
    config::authentication out = settings.identity;
    if (settings.google_key_path.empty() || !services.host || out.provider != "gcp") return out;
    const auto content = services.host->read_file(settings.google_key_path, limits::secret_file_bytes);
    if (!content) {
        error why = fail(error_class::config, "credentialsFromEnvFile: " + content.failure().message);
        why.retryable = content.failure().retryable;
        return why;
    }
    out.parameters.emplace("GoogleApplicationCredentials", *content);
    return out;
}

}  // namespace gputide::source::prometheus
