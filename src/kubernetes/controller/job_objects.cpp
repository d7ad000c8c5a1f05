#include "kubernetes/controller/job_objects.hpp"

#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "jobs/job.hpp"

#include <optional>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::for_each_object;
using formats::object_of;
using formats::text_in;
using formats::text_of;

constexpr std::string_view job_label = "job-name";  // KEDA selects a Job's pods by this label
const never_destroyed<const std::set<membership::key>> no_members;

std::optional<std::int64_t> time_of(std::optional<dom::object> object, std::string_view name) {
    return object ? parse_rfc3339(text_in(*object, name)) : std::nullopt;
}

std::vector<jobs::condition> conditions_of(std::optional<dom::object> status) {
    std::vector<jobs::condition> out;
    if (!status) return out;
    for_each_object(*status, "conditions", [&](dom::object object) {
        out.push_back(
            {text_in(object, "type"), text_of(object, "status") == "True", time_of(object, "lastTransitionTime")});
    });
    return out;
}

std::string text_below(std::optional<dom::object> metadata, std::string_view part, std::string_view name) {
    const auto all = metadata ? object_of(*metadata, part) : std::nullopt;
    return all ? text_in(*all, name) : std::string();
}

}  // namespace

seen_job read_job(dom::object object) {
    const object_facts facts = read_facts(object);
    const auto metadata = object_of(object, "metadata");
    const auto status = object_of(object, "status");
    seen_job out;
    out.uid = facts.uid;
    out.job.name = facts.key.name;
    out.job.is_deleting = facts.deleting;
    out.job.conditions = conditions_of(status);
    out.job.completed_ms = time_of(status, "completionTime");
    out.job.created_ms = time_of(metadata, "creationTimestamp");
    const std::string generation = text_below(metadata, "annotations", jobs::generation_annotation);
    if (!generation.empty()) out.job.generation = generation;
    out.scaled_job = text_below(metadata, "labels", jobs::name_label);
    out.ordinal = parse_int64(text_below(metadata, "annotations", ordinal_annotation)).value_or(0);
    if (!metadata) return out;
    for_each_object(*metadata, "ownerReferences", [&](dom::object owner) {
        if (text_of(owner, "kind") == "ScaledJob") out.owner_uid = text_in(owner, "uid");
    });
    return out;
}

seen_pod read_pod(dom::object object) {
    const auto status = object_of(object, "status");
    seen_pod out;
    out.job = text_below(object_of(object, "metadata"), "labels", job_label);
    if (!status) return out;
    out.pod.phase = text_in(*status, "phase");
    out.pod.conditions = conditions_of(status);
    return out;
}

void membership::put(const key& member, const key& owner) {
    const auto at = owners_.find(member);
    if (at != owners_.end() && at->second == owner) return;
    drop(member);
    members_[owner].insert(member);
    owners_.emplace(member, owner);  // last: after a failed allocation the next put() does both again
}

void membership::drop(const key& member) {
    const auto at = owners_.find(member);
    if (at == owners_.end()) return;
    const auto group = members_.find(at->second);
    if (group != members_.end()) {
        group->second.erase(member);
        if (group->second.empty()) members_.erase(group);
    }
    owners_.erase(at);
}

const std::set<membership::key>& membership::members(const key& owner) const {
    const auto found = members_.find(owner);
    return found == members_.end() ? *no_members : found->second;
}

}  // namespace gputide::kubernetes
