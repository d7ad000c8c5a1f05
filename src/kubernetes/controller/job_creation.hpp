// One Job on its way to the API server, so that no cut connection and no second leader makes two of it: its name follows from its
// number among its ScaledJob's, and a number that is taken is a 409.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/controller/job_objects.hpp"
#include "kubernetes/scale/writer.hpp"
#include "manifest/scaled_job.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::kubernetes {

// "train-" and five characters, of the alphabet and the length that the server's generateName has (kubernetes/apiserver
// pkg/storage/names/generate.go).  No two numbers below 27^5 of one ScaledJob give the same.
std::string job_name(const manifest::scaled_job& job, std::int64_t ordinal);

// job_target: spec.jobTargetRef as it was written, JSON; it is taken over but for what KEDA sets in it.  Errors: no JSON.
result<std::string> job_body(const manifest::scaled_job& job, const std::string& job_target, std::int64_t ordinal);

enum class creation_result {
    created,
    existing,   // another leader, or an answer that was lost, has created this very one
    taken,      // another object has the name
    open,       // unknown
    refused,    // 422
    denied,     // 403: a quota, or a right
    throttled,  // 429
    failed,
    no_lead,
};
inline constexpr std::size_t creation_results = 9;
const char* creation_result_name(creation_result creation_result) noexcept;

struct creation {
    creation_result result = creation_result::failed;
    bool is_over = false;  // what was there already is finished, or goes
    error why;             // status ok where there is nothing to say
};

// POST, and a read before it is repeated.  `done` runs once, later, unless it is canceled.
std::shared_ptr<api_operation<creation>> create_job(const std::shared_ptr<const api>& api,
                                                    const manifest::scaled_job& job, std::string body,
                                                    std::int64_t ordinal, write_guard guard,
                                                    std::function<void(creation)> done);

enum class deletion_result { deleted, missing, no_lead, failed };

struct deleted_job {
    deletion_result result = deletion_result::failed;
    error why;
};

// Deletes the Job only if it has that uid.  propagation: Background, Foreground.
std::shared_ptr<api_exchange> delete_job(const std::shared_ptr<const api>& api, const object_key& key,
                                         const std::string& uid, std::string_view propagation, const write_guard& guard,
                                         std::function<void(deleted_job)> done);

}  // namespace gputide::kubernetes
