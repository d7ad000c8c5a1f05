// Jobs and pods of ScaledJobs as the API server shows them.  Pure readers of what lists and watches bring.
#pragma once

#include "jobs/job.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace gputide::kubernetes {

// The number that gputide gave it among its ScaledJob's; what it is called follows from it.
inline constexpr std::string_view ordinal_annotation = "gputide.io/ordinal";

struct seen_job {
    jobs::job job;  // without its pods
    std::string uid;
    std::string scaled_job;    // by its label
    std::string owner_uid;     // of the ScaledJob that it belongs to; "": of none
    std::int64_t ordinal = 0;  // 0: not created by gputide
};
seen_job read_job(simdjson::dom::object object);

struct seen_pod {
    std::string job;
    jobs::pod pod;
};
seen_pod read_pod(simdjson::dom::object object);

// Objects by their owner: when an object goes, only its key is known.
class membership {
  public:
    using key = object_key;

    // owner: another one than before, or the same.
    void put(const key& member, const key& owner);
    void drop(const key& member);
    const std::set<key>& members(const key& owner) const;

  private:
    std::map<key, key> owners_;
    std::map<key, std::set<key>> members_;
};

}  // namespace gputide::kubernetes
