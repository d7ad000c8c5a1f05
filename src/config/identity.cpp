// podIdentity of a TriggerAuthentication, and what KEDA's webhook refuses in it.
#include "base/text.hpp"
#include "config/authentication.hpp"
#include "config/provider.hpp"

#include <utility>

namespace gputide::config {
std::vector<violation> validate_identity(const authentication& identity) {
    std::vector<violation> out;
    const auto refuse = [&out](const std::string& key, std::string message, std::string remedy) {
        out.push_back({key, std::move(message), std::move(remedy), "invalid-identity"});
    };
    const bool host = identity.identity_authority_host && !identity.identity_authority_host->empty();
    const bool tenant = identity.identity_tenant_id && !identity.identity_tenant_id->empty();
    if (!identity.provider.empty() && !is_provider(identity.provider)) {
        refuse("provider", "the provider " + quoted(identity.provider) + " is not known",
               "write " + providers_in_words());
    }
    if (identity.provider == "azure-workload") {
        if (identity.identity_id && identity.identity_id->empty()) {
            refuse("identityId", "identityId of PodIdentity should not be empty. If it is set, it names a client id",
                   "write the client id, or remove the key");
        }
        if (host && !tenant) {
            refuse("identityAuthorityHost",
                   "identityTenantID of PodIdentity should not be nil or empty when identityAuthorityHost of "
                   "PodIdentity is "
                   "set",
                   "add identityTenantId");
        } else if (identity.identity_tenant_id && !tenant) {
            refuse("identityTenantId",
                   "identityTenantId of PodIdentity should not be empty. If it is set, it names a tenant",
                   "write the tenant id, or remove the key");
        }
    }
    if (identity.provider == "aws") {
        const bool role = identity.role_arn && !identity.role_arn->empty();
        if (role && identity.identity_owner == "workload") {
            refuse("roleArn", "roleArn of PodIdentity can't be set if KEDA isn't identityOwner",
                   "remove roleArn, or write identityOwner: keda");
        }
        if (identity.external_id && !identity.external_id->empty() && !role) {
            refuse("externalID", "externalID of PodIdentity requires roleArn to be set", "add roleArn");
        }
    }
    if (!identity.identity_owner.empty() && identity.identity_owner != "keda" &&
        identity.identity_owner != "workload") {
        refuse("identityOwner", "the owner " + quoted(identity.identity_owner) + " is not known",
               "write keda or workload");
    }
    return out;
}

authentication read_pod_identity(const cursor& block, report& findings) {
    mapping identity(block, findings);
    authentication out;
    out.provider = identity.required_text("provider");
    out.identity_id = identity.text("identityId");
    out.identity_tenant_id = identity.text("identityTenantId");
    out.identity_authority_host = identity.text("identityAuthorityHost");
    out.role_arn = identity.text("roleArn");
    out.external_id = identity.text("externalID");
    out.identity_owner = identity.text("identityOwner").value_or("");
    identity.finish();
    add_violations(findings, block, validate_identity(out));
    return out;
}

}  // namespace gputide::config
