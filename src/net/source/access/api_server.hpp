// Access to the Kubernetes API server that the host program chose.  Reads files and the environment if services.host is set;
// sends nothing.
#pragma once

#include "base/result.hpp"
#include "kube/access.hpp"
#include "source/source.hpp"

namespace gputide::source::access {

// Calls kube::open_access() with the shared services.
result<kube::access> open_api_server(const services& services);

}  // namespace gputide::source::access
