// Reads the settings of application.hpp.
#include "auth/azure/application.hpp"

#include "auth/azure/authority.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::auth {

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
