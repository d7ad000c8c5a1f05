// A metric of a manifest as the cluster itself has it: what the HPA controller would read for it.
#pragma once

#include "config/spec.hpp"
#include "source/description.hpp"

#include <cstddef>

namespace gputide::source::kubernetes {

// The trigger that asks for the same, as a gputide.io/source annotation would name it.  For Pods and Resource metrics there is
// none: this one has their name, and cannot be opened.
config::trigger trigger_of(const config::spec& spec, std::size_t index);

// External, Object, Pods, Resource or ContainerResource.  `index` among the manifest's metrics.
result<description> describe_hpa_metric(const config::spec& spec, std::size_t index, const config::trigger_rules& rules,
                                        config::report* findings);

// What a cpu or memory trigger names, of the pods of the manifest's target.
description describe_resource(const config::scaling& scaling, const source::target& target);

}  // namespace gputide::source::kubernetes
