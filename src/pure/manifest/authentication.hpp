// TriggerAuthentication and ClusterTriggerAuthentication: read once, resolved for each trigger that refers to one.
// In: the collection's documents and what the host allows.  Out: authentication values.  No secret goes into a message.
#pragma once

#include "manifest/behavior.hpp"
#include "manifest/load.hpp"
#include "manifest/manifest.hpp"
#include "text/document.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

using namespace text;

// One authParam and where its value comes from.
struct parameter_reference {
    enum class from : std::int32_t { environment = 0, config_map = 1, secret = 2 };
    from where = from::environment;
    std::string parameter;
    std::string name;  // of the variable, Secret or ConfigMap
    std::string key;   // in the Secret or ConfigMap
    place at;
};

// An azureServicePrincipal block.  In KEDA azure-pipelines and azure-cosmosdb alone read it.
struct service_principal {
    std::string provider;  // of podIdentity, which does the same
    std::string tenant_id;
    std::string client_id;
    std::string cloud;           // "": the public one
    std::string authority_host;  // of cloud Private
    std::vector<parameter_reference> references;
    place at;
};

struct written_authentication {
    bool cluster = false;
    std::string name;
    std::string name_space;
    authentication identity;  // podIdentity; no parameters yet
    std::vector<parameter_reference>
        references;  // in KEDA's order: environment, ConfigMaps, Secrets, oauth2; the last one wins
    std::map<std::string, std::string> values;  // of oauth2, by parameter; they win over references
    std::optional<service_principal> principal;
};

// Inputs of reading a trigger, beside its own text.
struct load_context {
    const collection& documents;
    const std::vector<written_authentication>& authentications;
    const surroundings& host;
    report& findings;
    // Returns the severity of a missing credential; KEDA (as_keda) goes on with an empty text.
    severity level_of_missing(bool as_keda) const {
        return as_keda || host.targets_only ? severity::warning : severity::error;
    }
    mutable std::size_t resolved_bytes =
        0;  // of secrets handed to triggers so far: a hostile text may refer again and again
};

// kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go; paths below the podIdentity block.
std::vector<violation> validate_identity(const authentication& identity, std::span<const identity_kind> identities);

written_authentication read_authentication(const manifest& manifest, const surroundings& host, report& findings);

// A podIdentity block, in a TriggerAuthentication or alone.
authentication read_pod_identity(const cursor& block, std::span<const identity_kind> identities, report& findings);

// authenticationRef → its values.  Whatever is missing is an error; KEDA, and the strict profile, take an empty text for
// it and go on, which shows later as a missing parameter or a 401.
authentication resolve_authentication(const cursor& reference, const std::string& name_space, bool strict,
                                      const load_context& context);

// The same for one that is at hand; `place` is where it is asked for, for messages.
authentication resolve(const written_authentication& written, const place& place, const std::string& name_space,
                       bool strict, const load_context& context);

// The blocks of a TriggerAuthentication that name a client and its secret: oauth2 and azureServicePrincipal.
// In: a block.  Out: values and references, and what KEDA's webhook refuses in it.  No secret is looked up.

// oauth2 as the parameters of authModes oauth: oauthTokenURI, clientID, clientSecret, scopes, endpointParams (kedacore/keda
// pkg/scaling/resolver/scale_resolvers.go resolveAuthRef @v2.21.0).  is_validated: false where KEDA's webhook does not look at the
// block; what is wrong with it is a warning then.
void read_oauth2(const cursor& block, bool is_validated, written_authentication& out, report& findings);

// azureServicePrincipal (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go @v2.21.0).
service_principal read_service_principal(const cursor& block, std::span<const identity_kind> identities,
                                         report& findings);

// The first steps that every load shares: texts to documents, documents to authentications.

// Every document of every file; a text without one is an error.
void read_files(const std::vector<text_file>& files, std::vector<document>& documents, report& findings);

std::vector<written_authentication> read_authentications(const collection& documents, const surroundings& host,
                                                         report& findings);

}  // namespace gputide::manifest
