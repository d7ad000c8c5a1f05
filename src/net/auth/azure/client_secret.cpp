// Implements client_secret.hpp: settings and request.
#include "auth/azure/client_secret.hpp"

#include "auth/azure/scopes.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::auth {

namespace {

void send_secret(const std::shared_ptr<acquisition>& under_way, const std::string& scope, const application& who,
                 const secret_text& secret) {
    auto checked = scope_for(scope, who.tenant);
    if (!checked) return under_way->finish_soon(checked.take_failure());
    const std::string url = token_url(who.authority, who.tenant);
    http::request what = token_request(url,
                                       {{"grant_type", "client_credentials"},
                                        {"client_id", who.client_id},
                                        {"client_secret", secret.reveal()},
                                        {"scope", *checked}},
                                       who.tls);
    send_token_request(under_way, std::move(what),
                       {url, format_text("client {}, scope {}", who.client_id, *checked), {secret}},
                       under_way->finisher());
}

}  // namespace

result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host) {
    secret_text secret = settings.client_secret;
    if (secret.empty()) secret = secret_text(host.variable("AZURE_CLIENT_SECRET"));
    if (secret.empty()) {
        return fail(error_class::config, "the client secret is empty: give clientSecret, or set AZURE_CLIENT_SECRET");
    }
    auto who = read_application(settings, !settings.client_secret.empty(), permissions, host);
    if (!who) return who.take_failure();
    return make_credential({format_text("client_secret\n{}\n{}", application_key(*who), secret_digest(secret.reveal())),
                            about_application("client secret", *who),
                            [who = *who, secret](const auto& under_way, const std::string& scope) {
                                send_secret(under_way, scope, who, secret);
                            }});
}

// Settings common to client secret and client certificate.

result<application> read_application(const application_settings& settings, bool has_own_proof,
                                     const host_permissions& permissions, const surroundings& host) {
    const auto pick = [&host](const std::string& given, const char* variable) {
        return given.empty() ? host.variable(variable) : given;
    };
    const std::string client = pick(settings.client_id, "AZURE_CLIENT_ID");
    if (client.empty()) return fail(error_class::config, "clientId is missing, and AZURE_CLIENT_ID is not set");
    const std::string tenant = pick(settings.tenant_id, "AZURE_TENANT_ID");
    if (tenant.empty()) return fail(error_class::config, "tenantId is missing, and AZURE_TENANT_ID is not set");
    auto checked_name = checked_tenant(tenant, settings.tenant_id.empty() ? "AZURE_TENANT_ID" : "tenantId");
    if (!checked_name) return checked_name.take_failure();
    auto authority = read_authority(settings.authority_host, "authorityHost", permissions, host);
    if (!authority) return authority.take_failure();
    if (settings.is_of_cluster && has_own_proof) {
        if (auto given = check_cluster_authority(*authority, permissions); !given) return given.take_failure();
    }
    return application{*std::move(authority), *std::move(checked_name), client,
                       shared_settings(connection_of(permissions))};
}

introduction about_application(const char* kind, const application& application) {
    return {kind, application.authority, application.tenant, application.client_id, {}, application.tls};
}

std::string application_key(const application& application) {
    return format_text("{}\n{}\n{}", application.authority, lower(application.tenant), lower(application.client_id));
}

}  // namespace gputide::auth
