// Decides a ScaledJob once, from values that the host provides: manifest and observation as text in, decision as JSON out.  No
// I/O.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "jobs/demand.hpp"
#include "pipeline/host.hpp"
#include "source/description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

// `seen` is a JSON object: {"values":[42.5,null],"running":3,"pending":1} and more (docs/jobs.md); values are in the order of the
// triggers, null: the read failed.  Errors: status::invalid with the manifest's place or the member of `seen`; status::ambiguous
// if the text contains several ScaledJobs and host.scaler names none.
result<std::string> decide_scaled_job(const std::vector<manifest::text_file>& files, const host_options& host,
                                      std::string_view seen);

// Returns the reading of a trigger from its sample; without a value: the read failed.
jobs::trigger_reading reading_of(const source::target& target, const sample& sample);

}  // namespace gputide::pipeline
