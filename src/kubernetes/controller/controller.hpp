// A Kubernetes controller for a runtime: reads ScaledObjects and ScaledJobs, lets the runtime decide, and writes replicas and
// Jobs while this process is leader.  Adds scalers to the scaler host and sends notes to the host program.
#pragma once

#include "kube/endpoint.hpp"
#include "kubernetes/api/settings.hpp"
#include "runtime/controller.hpp"

#include <memory>

namespace gputide::kubernetes {

// Opens the controller of the cluster in host.cluster.  Returns an error if the access to the API server is not configured
// correctly.
result<std::shared_ptr<runtime::controller>> open_controller(const runtime::controller_services& services,
                                                             settings settings, const pipeline::host_options& host);

// Creates the controller on any loop. scalers and loop must outlive its use.
std::shared_ptr<runtime::controller> make_controller(runtime::scaler_host& scalers, std::shared_ptr<http::loop> loop,
                                                     kube::access access, settings settings,
                                                     const pipeline::host_options& host);

}  // namespace gputide::kubernetes
