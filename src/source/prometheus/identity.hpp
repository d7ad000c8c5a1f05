// Whose identity asks: podIdentity, or what KEDA reads from a trigger's other keys where there is none (its transports for
// Google and AWS: kedacore/keda pkg/scalers/gcp/gcp_common.go, pkg/scalers/aws/aws_common.go).  No I/O.
#pragma once

#include "config/parameters.hpp"
#include "config/spec.hpp"

namespace gputide::source::prometheus {

// The trigger's authentication in the form that auth::open_identity() takes: the provider filled in, and the values of the
// trigger's own keys beside the parameters under the same names.  With authModes it stays as it is.
config::authentication read_identity(config::parameters& from, const config::trigger& trigger, bool has_modes);

// The variable that credentialsFromEnvFile names holds the path of a service account's key; "": there is none.
std::string google_key_path(const config::trigger& trigger);

}  // namespace gputide::source::prometheus
