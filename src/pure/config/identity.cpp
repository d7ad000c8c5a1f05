// podIdentity of a TriggerAuthentication, and what KEDA's webhook refuses in it.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/authentication.hpp"
#include "config/kinds.hpp"

#include <utility>

namespace gputide::config {

std::vector<violation> validate_identity(const authentication& identity, std::span<const identity_kind> identities) {
    const identity_kind* kind = find_identity(identities, identity.provider);
    std::vector<violation> out;
    if (kind != nullptr && kind->check != nullptr) out = kind->check(identity);
    const auto refuse = [&out](const std::string& key, std::string message, std::string remedy) {
        out.push_back({key, std::move(message), std::move(remedy), "invalid-identity"});
    };
    if (!identity.provider.empty() && kind == nullptr) {
        refuse("provider", "the provider " + in_quotes(identity.provider) + " is not known",
               "write " + providers_in_words(identities));
    }
    if (!identity.identity_owner.empty() && identity.identity_owner != "keda" &&
        identity.identity_owner != "workload") {
        refuse("identityOwner", format_text("the owner {} is not known", in_quotes(identity.identity_owner)),
               "write keda or workload");
    }
    return out;
}

authentication read_pod_identity(const cursor& block, std::span<const identity_kind> identities, report& findings) {
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
    add_violations(findings, block, validate_identity(out, identities));
    return out;
}

}  // namespace gputide::config
