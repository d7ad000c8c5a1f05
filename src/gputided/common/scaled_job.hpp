// Explains a ScaledJob in the manifests of -f.
#pragma once

#include "common/json.hpp"

#include <string>

namespace gputided {

// Returns "job.yaml:1: ScaledJob ml/batch is not carried out ...".  job: of the report of gputide_manifest_check.
inline std::string scaled_job_text(const json& job) {
    return text_at(job, "file") + ":" + std::to_string(integer_at(job, "line")) + ": ScaledJob " + full_name_in(job) +
           " cannot be run or examined with -f; use gputided run --kubernetes for ScaledJobs";
}

}  // namespace gputided
