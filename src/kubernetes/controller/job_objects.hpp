// Jobs of ScaledJobs and their pods, read from lists and watches.  Pure.
#pragma once

#include "jobs/job.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <cstdint>
#include <map>
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

}  // namespace gputide::kubernetes
