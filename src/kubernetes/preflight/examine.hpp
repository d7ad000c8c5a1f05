// Checks a cluster for a runtime: whether the API server is reachable, accepts the token, serves the kinds, and grants each
// right.  Changes nothing: the access reviews that it POSTs create no objects.
#pragma once

#include "doctor/doctor.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/preflight/report.hpp"

#include <memory>

namespace gputide::doctor {

// Ignores under.seen.  Returns an error only after a cancel; problems of the cluster are in the report.
result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
