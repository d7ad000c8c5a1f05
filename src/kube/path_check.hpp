// Whether an endpoint leads where its names say.  A name such as ".." or one with a "?" in it would lead elsewhere, and an empty one to
// a list.  Every request of the cluster side is checked before it is sent.  Pure.
#pragma once

#include "base/result.hpp"
#include "kube/endpoint.hpp"

namespace gputide::kube {

// Group: a DNS subdomain; version: a DNS label; path: segments of which none is "", "." or "..", without characters that end a path.
// Errors: status invalid.
result<void> check_path(const endpoint& endpoint);

}  // namespace gputide::kube
