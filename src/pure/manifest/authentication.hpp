// TriggerAuthentication and ClusterTriggerAuthentication: parsed once, resolved for each trigger that refers to them.  No
// message contains a secret.
#pragma once

#include "manifest/load.hpp"
#include "manifest/manifest.hpp"
#include "manifest/own/settings.hpp"
#include "text/document.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

using namespace text;

// One authParam and the place of its value.
struct parameter_reference {
    std::optional<document_kind> store;  // Secret, ConfigMap or TokenRequest; nothing: an environment variable
    std::string parameter;
    std::string name;  // of the variable, Secret, ConfigMap or service account
    std::string key;   // in the Secret or ConfigMap
    place at;
};

// An azureServicePrincipal block.  In KEDA only azure-pipelines and azure-cosmosdb read it.
struct service_principal {
    std::string provider;  // the equivalent provider of podIdentity
    std::string tenant_id;
    std::string client_id;
    std::string cloud;           // "": the public cloud
    std::string authority_host;  // for cloud Private
    std::vector<parameter_reference> references;
    place at;
};

struct written_authentication {
    bool cluster = false;
    std::string name;
    std::string name_space;
    authentication identity;  // podIdentity; without parameters
    std::vector<parameter_reference>
        references;  // in KEDA's order: environment, ConfigMaps, Secrets, tokens, oauth2; the last one wins
    std::map<std::string, std::string> values;  // of oauth2, by parameter; they win over references
    std::optional<service_principal> principal;
};

// Inputs for reading a trigger, in addition to its own text.
struct load_context {
    const collection& documents;
    const std::vector<written_authentication>& authentications;
    const surroundings& host;
    report& findings;
    // Returns the severity of a missing credential; KEDA (as_keda) continues with an empty value.
    severity level_of_missing(bool as_keda) const {
        return as_keda || host.targets_only ? severity::warning : severity::error;
    }
    mutable std::size_t resolved_bytes =
        0;  // of secrets passed to triggers so far; limited, because a hostile text may refer to a secret many times
};

written_authentication read_authentication(const manifest& manifest, const surroundings& host, report& findings);

// Reads a podIdentity block, in a TriggerAuthentication or alone, with the errors of KEDA's webhook (kedacore/keda
// apis/keda/v1alpha1/triggerauthentication_webhook.go).
authentication read_pod_identity(const cursor& block, std::span<const identity_kind> identities, report& findings);

// authenticationRef → its values.  Whatever is missing is an error; KEDA, and the strict profile, take an empty text for
// it and go on, which shows later as a missing parameter or a 401.  A missing token of a service account is an error in KEDA too.
authentication resolve_authentication(const cursor& reference, const std::string& name_space, bool strict,
                                      const load_context& context);

// Resolves a given authentication; `place` is the referring place, for messages.
authentication resolve(const written_authentication& written, const place& place, const std::string& name_space,
                       bool strict, const load_context& context);

// The blocks of a TriggerAuthentication with a client and its secret: oauth2 and azureServicePrincipal.  Reads values and
// references, and reports what KEDA's webhook rejects.  No secret is looked up.

// Reads oauth2 into the parameters of authModes oauth: oauthTokenURI, clientID, clientSecret, scopes, endpointParams
// (kedacore/keda pkg/scaling/resolver/scale_resolvers.go resolveAuthRef @v2.21.0). is_validated: false if KEDA's webhook does
// not check the block; errors in it are then warnings.
void read_oauth2(const cursor& block, bool is_validated, written_authentication& out, report& findings);

// Reads azureServicePrincipal (kedacore/keda apis/keda/v1alpha1/triggerauthentication_webhook.go @v2.21.0).
service_principal read_service_principal(const cursor& block, std::span<const identity_kind> identities,
                                         report& findings);

// Reads a trigger of a ScaledObject, or the source of an External metric, with its authentication and its own rules.

// The manifest of a trigger.
struct trigger_owner {
    std::string name_space;
    std::string name;
    bool strict = false;
    trigger_rules rules;  // from the annotations; a trigger's own keys have precedence
};

// Returns kind, name, namespace and creation time of a manifest; all other members have their defaults.
scaling scaling_of(const manifest& manifest);

// Reads the gputide.io/ annotations of a manifest.  A host that requires the strict profile has precedence.
own_rules read_own_rules(const manifest& manifest, const load_context& context);
// Does the same, and writes the settings of a spec to `out`.
own_rules take_own_rules(const manifest& manifest, const load_context& context, spec& out);

// Reads {type, name, metadata, authenticationRef, metricType, useCachedMetrics} from a mapping.
trigger take_trigger(mapping& fields, std::int32_t index, const trigger_owner& owner, const load_context& context);

}  // namespace gputide::manifest
