// What stands in the way of gputide.io/forecast in a manifest that is otherwise right: warnings, each with a remedy.
#pragma once

#include "config/kinds.hpp"
#include "config/manifest.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"

namespace gputide::config {

void warn_of_forecast(const object_metadata& metadata, const spec& spec, const known_kinds& kinds, report& findings);

}  // namespace gputide::config
