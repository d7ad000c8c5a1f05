// Reads a trigger of a ScaledObject, or the source of an External metric, with its authentication and its own rules.
#pragma once

#include "manifest/authentication.hpp"
#include "manifest/own/settings.hpp"

#include <string>

namespace gputide::manifest {

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
