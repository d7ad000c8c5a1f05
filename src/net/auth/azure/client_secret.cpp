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

class client_secret_credential final : public credential {
  public:
    client_secret_credential(application who, secret_text secret) : who_(std::move(who)), secret_(std::move(secret)) {}

    std::string cache_key() const override {
        return format_text("client_secret\n{}\n{}", application_key(who_), secret_digest(secret_.reveal()));
    }

    introduction about() const override {
        return {"client secret", who_.authority, who_.tenant, who_.client_id, {}, who_.tls};
    }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        auto checked = scope_for(scope, who_.tenant);
        if (!checked) {
            under_way->finish_soon(checked.take_failure());
            return under_way;
        }
        const std::string url = token_url(who_.authority, who_.tenant);
        token_context about{url, format_text("client {}, scope {}", who_.client_id, *checked), {secret_}};
        under_way->carry(
            send_token_request(loop,
                               token_request(url,
                                             {{"grant_type", "client_credentials"},
                                              {"client_id", who_.client_id},
                                              {"client_secret", secret_.reveal()},
                                              {"scope", *checked}},
                                             who_.tls),
                               token_retry_rule(), deadline_ms, std::move(about),
                               [under_way](result<token> outcome) { under_way->finish(std::move(outcome)); }));
        return under_way;
    }

  private:
    const application who_;
    const secret_text secret_;
};

}  // namespace

result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host) {
    secret_text secret = settings.client_secret;
    if (secret.empty()) secret = secret_text(host.environment("AZURE_CLIENT_SECRET").value_or(""));
    if (secret.empty()) {
        return fail(error_class::config, "the client secret is empty: give clientSecret, or set AZURE_CLIENT_SECRET");
    }
    const bool is_of_cluster = settings.is_of_cluster && !settings.client_secret.empty();
    auto who = read_application({settings.tenant_id, settings.client_id, settings.authority_host, is_of_cluster},
                                permissions, host);
    if (!who) return who.take_failure();
    return std::shared_ptr<credential>(std::make_shared<client_secret_credential>(*std::move(who), std::move(secret)));
}

// Settings common to client secret and client certificate.

result<application> read_application(const application_settings& settings, const host_permissions& permissions,
                                     const surroundings& host) {
    const auto pick = [&host](const std::string& given, const char* variable) {
        return given.empty() ? host.environment(variable).value_or("") : given;
    };
    const std::string client = pick(settings.client_id, "AZURE_CLIENT_ID");
    if (client.empty()) return fail(error_class::config, "clientId is missing, and AZURE_CLIENT_ID is not set");
    const std::string tenant = pick(settings.tenant_id, "AZURE_TENANT_ID");
    if (tenant.empty()) return fail(error_class::config, "tenantId is missing, and AZURE_TENANT_ID is not set");
    auto checked_name = checked_tenant(tenant, settings.tenant_id.empty() ? "AZURE_TENANT_ID" : "tenantId");
    if (!checked_name) return checked_name.take_failure();
    auto authority = read_authority(settings.authority_host, "authorityHost", permissions, host);
    if (!authority) return authority.take_failure();
    if (settings.is_of_cluster) {
        if (auto given = check_cluster_authority(*authority, permissions); !given) return given.take_failure();
    }
    return application{*std::move(authority), *std::move(checked_name), client, endpoint_tls(permissions)};
}

std::string application_key(const application& application) {
    return format_text("{}\n{}\n{}", application.authority, lower(application.tenant), lower(application.client_id));
}

}  // namespace gputide::auth
