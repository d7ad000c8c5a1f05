// Checks that an endpoint's path matches its names.  A name such as ".." or one with a "?" would change the path, and
// an empty one would address a list.  Every request to the API server is checked before it is sent.  Pure.
#pragma once

#include "base/result.hpp"
#include "kube/endpoint.hpp"

namespace gputide::kube {

// Checks an endpoint.  Group: a DNS subdomain; version: a DNS label; path: segments other than "", "." and "..",
// without characters that end a path.  Errors: status invalid.
result<void> check_path(const endpoint& endpoint);

}  // namespace gputide::kube
