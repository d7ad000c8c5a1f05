// Whose identity asks a cloud's own service: podIdentity, or what KEDA reads from a trigger's other keys where there is none
// (its transports for Google and AWS: kedacore/keda pkg/scalers/gcp/gcp_common.go, pkg/scalers/aws/aws_common.go).  No I/O.
#pragma once

#include "config/parameters.hpp"
#include "config/spec.hpp"
#include "source/access/settings.hpp"

namespace gputide::source::access {

// Reads cloud_keys into settings.identity: the provider filled in, and the values of the trigger's own keys beside the
// parameters under the same names.  With authModes it stays as it is.
void read_cloud_identity(config::parameters& parameters, const config::trigger& trigger, settings& settings);

}  // namespace gputide::source::access
