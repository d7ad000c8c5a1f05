// A Kubernetes controller for a runtime: finds ScaledObjects and ScaledJobs, has the runtime decide on them, and writes replicas and
// Jobs while it is the leader.  In: settings, access to the API server.  Out: scalers in the scaler host, replicas and Jobs on the
// cluster, notes for the host.
#pragma once

#include "kube/access.hpp"
#include "kubernetes/api/settings.hpp"
#include "runtime/controller.hpp"

#include <memory>

namespace gputide::kubernetes {

// Opens the controller of the cluster that host.cluster names.  Errors: what keeps the API server from being asked.
result<std::shared_ptr<runtime::controller>> open_controller(const runtime::controller_services& services,
                                                             settings settings, const pipeline::host_options& host);

// The same over any loop.  scalers and loop live longer than the controller is driven.
std::shared_ptr<runtime::controller> make_controller(runtime::scaler_host& scalers, std::shared_ptr<http::loop> loop,
                                                     kube::access access, settings settings,
                                                     const pipeline::host_options& host);

}  // namespace gputide::kubernetes
