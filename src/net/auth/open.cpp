// The table of providers, and the settings that each reads from the block and its parameters.
#include "auth/open.hpp"

#include "auth/aws/aws.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

using opened = result<std::shared_ptr<credential>>;

// The arguments of an opener.
struct asked {
    const manifest::authentication& identity;
    const host_permissions& permissions;
    const std::shared_ptr<const surroundings>& host;

    secret_text secret(const std::string& parameter) const {
        const auto found = identity.parameters.find(parameter);
        return found == identity.parameters.end() ? secret_text() : found->second;
    }
    std::string text(const std::string& parameter, const std::optional<std::string>& in_block = {}) const {
        const secret_text given = secret(parameter);
        const std::string_view trimmed = trim(given.reveal());
        return trimmed.empty() ? in_block.value_or("") : std::string(trimmed);
    }
    std::string client_id() const { return text("clientId", identity.identity_id); }
    std::string tenant_id() const { return text("tenantId", identity.identity_tenant_id); }
    // Returns an application; its authority is a URL, or the login endpoint of the cloud.
    result<application_settings> application() const {
        application_settings out{tenant_id(), client_id(), {}, identity.is_cluster_wide};
        const std::string authority = text("authorityHost", identity.identity_authority_host);
        if (!authority.empty()) out.authority_host = authority;
        if (!authority.empty() || !identity.identity_cloud) return out;
        const auto cloud = azure_cloud_named(*identity.identity_cloud);
        if (cloud) out.authority_host = login_endpoint(*cloud);
        if (cloud) return out;
        return fail(error_class::config,
                    "azureServicePrincipal.cloud: {} is not known; write AzurePublicCloud, "
                    "AzureUSGovernmentCloud, AzureChinaCloud or Private",
                    in_quotes(*identity.identity_cloud));
    }
};

opened workload(const asked& block) {
    const manifest::authentication& authentication = block.identity;
    return open_workload_identity(
        {authentication.identity_id, authentication.identity_tenant_id, authentication.identity_authority_host},
        block.permissions, block.host);
}

opened machine(const asked& block) {
    managed_identity_settings wanted;
    wanted.client_id = block.client_id();
    wanted.object_id = block.text("objectId");
    wanted.resource_id = block.text("resourceId");
    return open_managed_identity(wanted, block.host);
}

opened application_secret(const asked& block) {
    // Secret files often end in a newline; Entra's secrets never do.
    const secret_text secret = block.secret("clientSecret");
    auto who = block.application();
    if (!who) return who.take_failure();
    return open_client_secret({*std::move(who), secret_text(trim(secret.reveal()))}, block.permissions, *block.host);
}

opened application_certificate(const asked& block) {
    auto who = block.application();
    if (!who) return who.take_failure();
    client_certificate_settings wanted{*std::move(who), block.secret("clientCertificate"),
                                       secret_text(trim(block.secret("clientCertificatePassword").reveal()))};
    const std::string chain = block.text("sendCertificateChain");
    const auto send_chain = chain.empty() ? std::optional(false) : parse_go_bool(chain);
    if (!send_chain) return fail(error_class::config, "sendCertificateChain: expected true or false");
    wanted.send_chain = *send_chain;
    return open_client_certificate(wanted, block.permissions, *block.host);
}

opened command_line(const asked& block) {
    return open_azure_cli({block.tenant_id(), block.text("subscription")}, block.permissions, block.host);
}

opened default_chain(const asked& block) {
    auto who = block.application();
    if (!who) return who.take_failure();
    return open_azure_default(*who, block.permissions, block.host);
}

// Reads podIdentity's roleArn and externalID, or authParams of these names (kedacore/keda pkg/scalers/aws/aws_common.go).
opened amazon(const asked& block) {
    aws_settings wanted;
    wanted.region = block.text("awsRegion");
    wanted.role_arn = block.text("awsRoleArn", block.identity.role_arn);
    wanted.external_id = block.text("awsExternalId", block.identity.external_id);
    wanted.access_key_id = block.text("awsAccessKeyID");
    if (wanted.access_key_id.empty()) wanted.access_key_id = block.text("awsAccessKeyId");
    wanted.secret_access_key = secret_text(trim(block.secret("awsSecretAccessKey").reveal()));
    wanted.session_token = secret_text(trim(block.secret("awsSessionToken").reveal()));
    return open_aws(wanted, block.permissions, block.host);
}

opened google(const asked& block) {
    const secret_text key = block.secret("GoogleApplicationCredentials");
    if (!trim(key.reveal()).empty()) return open_google_key(key, block.permissions);
    return open_google_default(block.permissions, block.host);
}

opened from_file(const asked& block) {
    return open_bearer_file(block.text("tokenFile"), block.permissions, block.host);
}

// Splits `arguments` at blanks; quotes have no meaning, because no shell is used.
opened from_program(const asked& block) {
    std::vector<std::string> command = {block.text("command")};
    const std::string arguments = block.text("arguments");
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t at = 0; at < arguments.size();) {
        const std::size_t end = std::min(arguments.find_first_of(blanks, at), arguments.size());
        if (end > at) command.push_back(arguments.substr(at, end - at));
        at = end + 1;
    }
    return open_bearer_exec(std::move(command), block.permissions, block.host);
}

using manifest::identity_family;

struct provider {
    manifest::identity_kind written;               // for the manifest parser
    opened (*open)(const asked& block) = nullptr;  // null: the provider has no credential
    std::optional<capability> needs = {};          // capability that a tenant needs
};

// Providers with KEDA's names: kedacore/keda apis/keda/v1alpha1/triggerauthentication_types.go.
constexpr std::array providers = {
    provider{{"azure-workload", identity_family::azure, true, true, &check_workload_identity, workload_environment},
             &workload},
    provider{{aws_provider, identity_family::aws, true, true, &check_aws_identity}, &amazon},
    provider{{.provider = "aws-eks", .family = identity_family::aws, .is_of_keda = true, .is_advised = false}},
    provider{{google_provider, identity_family::google, true}, &google},
    provider{{"none", identity_family::none, true}},
    provider{{"azure-managed-identity", identity_family::azure}, &machine},
    provider{{.provider = "azure-client-secret", .family = identity_family::azure, .principal_proof = "clientSecret"},
             &application_secret},
    provider{{.provider = "azure-client-certificate",
              .family = identity_family::azure,
              .principal_proof = "clientCertificate"},
             &application_certificate},
    provider{{"azure-cli", identity_family::azure}, &command_line, capability::programs},
    provider{{"azure-default", identity_family::azure}, &default_chain},
    provider{{"bearer-file", identity_family::bearer}, &from_file, capability::secrets_dir},
    provider{{"bearer-exec", identity_family::bearer}, &from_program, capability::programs},
};

constexpr auto written_kinds = [] {
    std::array<manifest::identity_kind, providers.size()> out;
    for (std::size_t i = 0; i < providers.size(); ++i) out[i] = providers[i].written;
    return out;
}();

}  // namespace

std::span<const manifest::identity_kind> identity_kinds() { return written_kinds; }

manifest::identity_family family_of(std::string_view provider) {
    const manifest::identity_kind* found = manifest::find_identity(written_kinds, provider);
    return found == nullptr ? identity_family::none : found->family;
}

std::span<const manifest::injected_setting> injected_settings(std::string_view provider) {
    const manifest::identity_kind* found = manifest::find_identity(written_kinds, provider);
    return found == nullptr ? std::span<const manifest::injected_setting>() : found->injected;
}

result<std::shared_ptr<credential>> open_identity(const manifest::authentication& identity,
                                                  const host_permissions& permissions,
                                                  const std::shared_ptr<const surroundings>& host) {
    for (const provider& provider : providers) {
        if (provider.written.provider != identity.provider || provider.open == nullptr) continue;
        if (provider.needs) {
            const auto given = permissions.tenant.check(*provider.needs, "podIdentity.provider " + identity.provider);
            if (!given) return given.failure();
        }
        return provider.open({identity, permissions, host});
    }
    return fail(error_class::config, "podIdentity.provider {} does not provide a credential; write {}",
                in_quotes(identity.provider), manifest::providers_in_words(written_kinds));
}

}  // namespace gputide::auth
