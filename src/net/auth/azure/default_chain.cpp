// The default chain: its members, and when each is skipped.

#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/machine/program.hpp"
#include "auth/token/claims.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

using opened = result<std::shared_ptr<credential>>;

struct asked {
    const application_settings& settings;
    const host_permissions& permissions;
    const std::shared_ptr<const surroundings>& host;

    bool is_set(const char* variable) const { return !host->variable(variable).empty(); }

    // Returns the required variables, with those of tenant and client unless a setting replaces them.
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
    if (secret) return open_client_secret({block.settings, {}}, block.permissions, *block.host);
    return open_client_certificate({block.settings, {}, {}, {}}, block.permissions, *block.host);
}

opened workload(const asked& block) {
    if (const auto why = absent(*block.host, block.needed({"AZURE_FEDERATED_TOKEN_FILE"}))) return *why;
    const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    const application_settings& defaults = block.settings;
    // An authority from the settings requires a tenant from the settings; otherwise the environment's authority applies.
    const bool own_tenant = !defaults.tenant_id.empty();
    return open_workload_identity(
        {given(defaults.client_id), given(defaults.tenant_id), own_tenant ? defaults.authority_host : std::nullopt},
        block.permissions, block.host);
}

opened machine(const asked& block) {
    managed_identity_settings wanted;
    wanted.client_id = block.settings.client_id;
    if (wanted.client_id.empty()) wanted.client_id = block.host->variable("AZURE_CLIENT_ID");
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
    std::string_view own_name;  // name in AZURE_TOKEN_CREDENTIALS
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

result<std::shared_ptr<credential>> open_azure_default(const application_settings& settings,
                                                       const host_permissions& permissions,
                                                       const std::shared_ptr<const surroundings>& host) {
    const asked by{settings, permissions, host};
    const std::string given = host->variable("AZURE_TOKEN_CREDENTIALS");
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

// Runs `az account get-access-token` and parses its output, for open_azure_cli().

namespace {

constexpr const char* program = "az";
constexpr std::int64_t limit_ms = 13'000;    // as in Azure's SDK for C++
constexpr std::int64_t unsaid_life_s = 300;  // the CLI always prints the expiry; older versions print only local time

error explained(error why) {
    if (why.status == status::not_here) {
        why.message = "the Azure CLI is not available: " + why.message;
    } else if (why.error_class == error_class::signed_out) {
        why.message = "no user is signed in to the Azure CLI; sign in with az login. " + why.message;
    }
    return why;
}

void run_azure_cli(const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                   const azure_cli_settings& settings, const std::shared_ptr<const surroundings>& host) {
    auto checked = scope_of_resource(scope);
    if (!checked) return under_way->finish_soon(checked.take_failure());
    if (checked->front() == '-')
        return under_way->finish_soon(fail(error_class::config, "the scope must not begin with a dash"));
    std::vector<std::string> arguments = {program,   "account", "get-access-token", "--output", "json",
                                          "--scope", *checked};
    const auto add = [&arguments](const char* flag, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
    };
    add("--tenant", settings.tenant_id);
    add("--subscription", settings.subscription);
    run_for_token(
        under_way, host, {std::move(arguments), limit_ms, "az login"},
        [](result<secret_text> printed, const moment& now) -> result<token> {
            if (!printed) return explained(printed.take_failure());
            return read_held_token(*printed, now, {"the output of az account get-access-token", unsaid_life_s});
        });
}

// Tells whether a value is safe as an argument (not taken for a flag) and in a log.
bool is_plain(std::string_view text) { return text.empty() || (text.front() != '-' && !has_control_character(text)); }

}  // namespace

result<std::shared_ptr<credential>> open_azure_cli(const azure_cli_settings& settings,
                                                   const host_permissions& permissions,
                                                   std::shared_ptr<const surroundings> host) {
    if (const auto allowed = check_program(program, permissions.allowed_programs); !allowed) return allowed.failure();
    if (!settings.tenant_id.empty()) {
        if (const auto tenant = checked_tenant(settings.tenant_id, "tenantId"); !tenant) return tenant.failure();
    }
    if (!is_plain(settings.tenant_id) || !is_plain(settings.subscription)) {
        return fail(error_class::config,
                    "tenantId and subscription must not begin with a dash or contain control characters");
    }
    return make_credential(format_text("azure_cli\n{}\n{}", lower(settings.tenant_id), settings.subscription),
                           {.kind = "Azure CLI", .tenant = settings.tenant_id},
                           [settings, host = std::move(host)](const auto& under_way, const std::string& scope) {
                               run_azure_cli(under_way, scope, settings, host);
                           });
}

}  // namespace gputide::auth
