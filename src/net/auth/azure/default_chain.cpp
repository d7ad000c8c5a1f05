// Members of the chain of default_chain.hpp, and when each is skipped.
#include "auth/azure/default_chain.hpp"

#include "auth/azure/cli.hpp"
#include "auth/azure/client_certificate.hpp"
#include "auth/azure/client_secret.hpp"
#include "auth/azure/managed_identity.hpp"
#include "auth/azure/workload_identity.hpp"
#include "auth/chain.hpp"
#include "auth/machine/program.hpp"
#include "base/text.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

using opened = result<std::shared_ptr<credential>>;

struct asked {
    const azure_default_settings& settings;
    const host_permissions& permissions;
    const std::shared_ptr<const surroundings>& host;

    bool is_set(const char* variable) const { return !host->environment(variable).value_or("").empty(); }

    // Returns the required variables of tenant and client that no setting replaces.
    std::vector<const char*> needed(std::vector<const char*> out) const {
        if (settings.tenant_id.empty()) out.insert(out.begin(), "AZURE_TENANT_ID");
        if (settings.client_id.empty()) out.insert(out.begin(), "AZURE_CLIENT_ID");
        return out;
    }
};

opened environment(const asked& block) {
    const bool secret = block.is_set("AZURE_CLIENT_SECRET");
    if (!secret && !block.is_set("AZURE_CLIENT_CERTIFICATE_PATH")) {
        return fail(error_class::unavailable, "neither AZURE_CLIENT_SECRET nor AZURE_CLIENT_CERTIFICATE_PATH is set");
    }
    if (const auto why = absent(*block.host, block.needed({}))) return *why;
    const azure_default_settings& defaults = block.settings;
    if (secret) {
        return open_client_secret({defaults.tenant_id, defaults.client_id, {}, defaults.authority_host},
                                  block.permissions, *block.host);
    }
    client_certificate_settings wanted;
    wanted.tenant_id = defaults.tenant_id;
    wanted.client_id = defaults.client_id;
    wanted.authority_host = defaults.authority_host;
    return open_client_certificate(wanted, block.permissions, *block.host);
}

opened workload(const asked& block) {
    if (const auto why = absent(*block.host, block.needed({"AZURE_FEDERATED_TOKEN_FILE"}))) return *why;
    const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    const azure_default_settings& defaults = block.settings;
    // An authority from the settings requires a tenant from the settings; otherwise the environment's applies.
    const bool own_tenant = !defaults.tenant_id.empty();
    return open_workload_identity(
        {given(defaults.client_id), given(defaults.tenant_id), own_tenant ? defaults.authority_host : std::nullopt},
        block.permissions, block.host);
}

opened machine(const asked& block) {
    managed_identity_settings wanted;
    wanted.client_id = block.settings.client_id;
    if (wanted.client_id.empty()) wanted.client_id = block.host->environment("AZURE_CLIENT_ID").value_or("");
    wanted.in_chain = true;
    return open_managed_identity(wanted, block.host);
}

opened command_line(const asked& block) {
    if (const auto allowed = check_program("az", block.permissions.allowed_programs); !allowed) {
        return fail(error_class::unavailable, allowed.failure().message);
    }
    return open_azure_cli({block.settings.tenant_id, {}}, block.permissions, block.host);
}

struct default_member {
    const char* name;
    std::string_view own_name;  // its name in AZURE_TOKEN_CREDENTIALS
    std::string_view group;
    opened (*open)(const asked& block);
};

constexpr std::array members = {
    default_member{"environment", "EnvironmentCredential", "prod", &environment},
    default_member{"workload identity", "WorkloadIdentityCredential", "prod", &workload},
    default_member{"managed identity", "ManagedIdentityCredential", "prod", &machine},
    default_member{"Azure CLI", "AzureCliCredential", "dev", &command_line},
};

}  // namespace

result<std::shared_ptr<credential>> open_azure_default(const azure_default_settings& settings,
                                                       const host_permissions& permissions,
                                                       const std::shared_ptr<const surroundings>& host) {
    const asked by{settings, permissions, host};
    const std::string given = host->environment("AZURE_TOKEN_CREDENTIALS").value_or("");
    const std::string_view only = trim(given);
    std::vector<chain_member> out;
    for (const default_member& member : members) {
        const bool wanted =
            only.empty() || equal_ignoring_case(only, member.own_name) || equal_ignoring_case(only, member.group);
        if (wanted) out.push_back({member.name, member.open(by)});
    }
    if (!out.empty()) return make_chain("azure-default", std::move(out));
    return fail(error_class::config,
                "AZURE_TOKEN_CREDENTIALS: expected prod, dev, EnvironmentCredential, WorkloadIdentityCredential, "
                "ManagedIdentityCredential or AzureCliCredential, got {}",
                in_quotes(only));
}

}  // namespace gputide::auth
