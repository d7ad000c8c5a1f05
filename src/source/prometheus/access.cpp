// Chooses header, TLS settings and token of a prometheus trigger.
#include "source/prometheus/access.hpp"

#include "auth/azure_scopes.hpp"
#include "auth/open.hpp"
#include "base/text.hpp"
#include "source/azure/access.hpp"

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
    http::tls_settings out;
    if (ca_counts) out.ca_pem = access.ca.reveal();
    if (!ca_counts) out.ca_file = with.permissions.ca_file;
    if (access.has("tls")) {
        out.client_certificate_pem = access.certificate;
        out.client_key_pem = access.key;
    }
    const bool replaced_transport = ca_counts || access.has("tls") || access.is_azure();
    out.verify = !from.unsafe_ssl || (from.strict && replaced_transport);
    const bool plain = out.ca_pem.empty() && out.ca_file.empty() && !access.has("tls") && out.verify;
    return plain ? nullptr : std::make_shared<const http::tls_settings>(std::move(out));
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

// A file's or a program's token.  It does not say whom it is for, so no host of a manifest gets it: the host program names
// those that do (allowed_token_hosts).
result<void> add_bearer(const settings& from, const config::authentication& identity, const services& with,
                        auth::access& into) {
    into.audience.scope = from.server_address;
    if (!with.host) return {};
    auto opened = auth::open_identity(identity, with.permissions, with.host);
    if (!opened) return std::move(opened).failure();
    into.credential = *std::move(opened);
    return {};
}

}  // namespace

result<auth::authenticator> open_access(const settings& from, const config::authentication& identity,
                                        const services& with) {
    auth::access how;
    how.header = static_header(from.access);
    how.tls = tls_of(from, with);
    if (from.access.is_azure()) {
        if (auto added = add_azure(from, identity, with, how); !added) return std::move(added).failure();
    } else if (from.access.family() == config::identity_family::bearer) {
        if (auto added = add_bearer(from, identity, with, how); !added) return std::move(added).failure();
    } else if (from.access.modes.empty() && !from.access.provider.empty() && from.access.provider != "none") {
        error out = fail(status::invalid, "podIdentity provider " + quoted(from.access.provider) +
                                              " is not available for prometheus triggers here; use azure-workload, or "
                                              "authModes with a TriggerAuthentication");
        out.error_class = "config";
        return out;
    }
    return auth::authenticator(std::move(how), with.permissions, with.tokens);
}

}  // namespace gputide::source::prometheus
