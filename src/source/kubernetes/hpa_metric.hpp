// A metric of a manifest as the cluster itself has it: what the HPA controller would read for it.
#pragma once

#include "config/spec.hpp"
#include "source/source.hpp"

#include <cstddef>
#include <memory>

namespace gputide::source::kubernetes {

// The trigger that asks for the same, as a gputide.io/source annotation would name it.  For Pods and Resource metrics there is
// none: this one has their name, and cannot be opened.
config::trigger trigger_of(const config::spec& of, std::size_t index);

// External, Object, Pods, Resource or ContainerResource.  `index` among the manifest's metrics.
result<std::shared_ptr<metric_source>> open_hpa_metric(const config::spec& of, std::size_t index,
                                                       const config::trigger_rules& rules, const services& with,
                                                       config::report* findings);

// What a cpu or memory trigger names, of the pods of the manifest's target.
result<std::shared_ptr<metric_source>> open_resource(const config::scaling& of, const source::target& what,
                                                     const services& with, config::report* findings);

}  // namespace gputide::source::kubernetes
