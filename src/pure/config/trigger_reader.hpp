// One trigger of a ScaledObject, or the source of an External metric: its text, its authentication, its own rules.
#pragma once

#include "config/authentication.hpp"
#include "config/own/settings.hpp"

#include <string>

namespace gputide::config {

// Whose trigger it is.
struct trigger_owner {
    std::string name_space;
    std::string name;
    bool strict = false;
    trigger_rules rules;  // what the annotations say; a trigger's own keys win
};

// Kind, name, namespace and age from the head of a manifest; the rest stands as where nothing is written.
scaling scaling_of(const manifest& manifest);

// What the gputide.io/ annotations of a manifest say; a host that is strict goes before them.
own_rules read_own_rules(const manifest& manifest, const load_context& context);
// The same, and what of it is a spec's own is in `out`.
own_rules take_own_rules(const manifest& manifest, const load_context& context, spec& out);

// Takes {type, name, metadata, authenticationRef, metricType, useCachedMetrics} from a mapping.
trigger take_trigger(mapping& fields, std::int32_t index, const trigger_owner& owner, const load_context& context);

}  // namespace gputide::config
