// The Jobs of ScaledJobs and their pods: read from lists and watches, created and deleted.
#pragma once

#include "base/callback.hpp"
#include "jobs/job.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/scale/writer.hpp"
#include "manifest/spec.hpp"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace gputide::kubernetes {

// Ordinal of a Job within its ScaledJob, set by gputide; it determines the Job's name.
inline constexpr std::string_view ordinal_annotation = "gputide.io/ordinal";

struct seen_job {
    jobs::job job;  // without pods
    std::string uid;
    std::string scaled_job;    // from its label
    std::string owner_uid;     // uid of the owning ScaledJob; "": none
    std::int64_t ordinal = 0;  // 0: not created by gputide
};
seen_job read_job(simdjson::dom::object object);

struct seen_pod {
    std::string job;
    jobs::pod pod;
};
seen_pod read_pod(simdjson::dom::object object);

// Objects by owner.  When an object is deleted, only its key is known.
class membership {
  public:
    using key = object_key;

    // Sets the owner of a member, which may have had another one.
    void put(const key& member, const key& owner);
    void drop(const key& member);
    const std::set<key>& members(const key& owner) const;

  private:
    std::map<key, key> owners_;
    std::map<key, std::set<key>> members_;
};

// Creates a Job so that neither a lost response nor a second leader creates it twice: its name follows from its ordinal within
// the ScaledJob, so a second creation of the same ordinal is a 409.

// Returns "train-" and five characters, with alphabet and length as in the server's generateName (kubernetes/apiserver
// pkg/storage/names/generate.go).  Different ordinals below 27^5 of a ScaledJob give different names.
std::string job_name(const manifest::scaled_job& job, std::int64_t ordinal);

// Returns the Job as JSON: job_target, which is spec.jobTargetRef as JSON, with the members that KEDA sets.  Returns an error if
// job_target is not an object with a template.
result<std::string> job_body(const manifest::scaled_job& job, const std::string& job_target, std::int64_t ordinal);

enum class creation_result {
    created,
    existing,   // the Job exists: created by another leader, or by a request with a lost response
    taken,      // a different object has the name
    open,       // unknown: the Job may have been created
    refused,    // 422
    denied,     // 403: a quota, or a missing right
    throttled,  // 429
    failed,
    no_lead,
};
inline constexpr std::size_t creation_results = 9;
const char* creation_result_name(creation_result creation_result) noexcept;

struct creation {
    creation_result result = creation_result::failed;
    bool is_over = false;  // the existing Job is finished or being deleted
    error why;             // status ok: nothing to report
};

// Sends a POST, and reads the Job before a repetition.  `done` runs once, later, unless the operation is canceled.
std::shared_ptr<api_operation<creation>> create_job(const std::shared_ptr<api>& api, const manifest::scaled_job& job,
                                                    std::string body, std::int64_t ordinal, write_guard guard,
                                                    callback<void(creation)> done);

enum class deletion_result { deleted, missing, no_lead, failed };

struct deleted_job {
    deletion_result result = deletion_result::failed;
    error why;
};

// Deletes the Job only if it has this uid.  propagation: Background or Foreground.
std::shared_ptr<api_exchange> delete_job(const std::shared_ptr<api>& api, const object_key& key, const std::string& uid,
                                         std::string_view propagation, const write_guard& guard,
                                         callback<void(deleted_job)> done);

}  // namespace gputide::kubernetes
