// A diagnosis of a cluster that a runtime is to work on: is the API server reached, is the token taken, are the kinds served,
// is each right there.  Asks, and changes nothing: reviews of one's own rights are POSTs that leave no object behind.
#pragma once

#include "doctor/doctor.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/preflight/report.hpp"

#include <memory>

namespace gputide::doctor {

// under.seen is not looked at.  Error: the cancel alone; what is wrong with the cluster is in the report.
result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
