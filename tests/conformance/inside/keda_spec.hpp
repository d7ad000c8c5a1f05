// Parts of a ScaledObject or ScaledJob as the keda-* files write them, as values.  The cases of ScaledObjects run in the strict profile.
#pragma once

#include "decide/policy.hpp"
#include "jobs/decide.hpp"
#include "manifest/scaling.hpp"
#include "manifest/spec.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace conformance {

using json = nlohmann::json;

std::optional<gputide::manifest::fallback> fallback_of(const json& block);  // null: nothing
gputide::manifest::scaling_modifiers modifiers_of(const json& block);
gputide::manifest::target_type target_type_of(const std::string& word);

// By the case's keda_version; a case without one holds for every release, or is older than 2.21.
gputide::manifest::original_versions keda_versions_of(const json& object);

// minReplicaCount, maxReplicaCount, idleReplicaCount, cooldownPeriod, initialCooldownPeriod, fallback.
gputide::manifest::scaling executor_spec_of(const json& object);

// One trigger of the type at that place of the list: "s0-prometheus"; cpu and memory are Resource metrics.
gputide::decide::metric_policy metric_of(const std::string& type, const std::string& name, std::size_t at);

// ScaledJobs, jobs and readings as keda-scaledjob.json writes them, and what came of them in its words.

using json = nlohmann::json;

gputide::manifest::scaled_job scaled_job_of(const json& object, gputide::manifest::profile profile);
gputide::manifest::scaling_strategy strategy_of(const json& written);
std::vector<gputide::jobs::job> jobs_of(const json& object);
std::vector<gputide::jobs::trigger_reading> triggers_of(const json& written);

json events_json(const std::vector<gputide::jobs::event>& events);
json verdict_json(const gputide::jobs::verdict& verdict);

// Answers deletions as a case's delete_errors say, and keeps in which order they were asked for.
class recorded_deletions {
  public:
    explicit recorded_deletions(const json& object) : errors_(object.value("delete_errors", json::array())) {}
    gputide::jobs::erase_job eraser();
    const json& names() const { return names_; }

  private:
    json errors_;
    json names_ = json::array();
};

}  // namespace conformance

// Does what a new or changed ScaledJob sets going in KEDA: kedacore/keda controllers/keda/scaledjob_controller.go.  The library has no
// such pass: it checks a manifest as it reads it, and rolls out, pauses and reports one by one (runtime/cluster/jobs).  What a
// case asks of the whole pass is put together here from the library's parts.

namespace conformance::scaledjob_controller {

namespace jobs = gputide::jobs;

// The facts about the object, and how its conditions stood before.
struct inspection {
    bool has_job_target = true;
    bool triggers_are_sound = true;  // names that differ, no cached metrics where none can be
    bool scalers_can_be_built = true;
    bool has_metric_type = false;  // which a ScaledJob's triggers may not have
    bool was_paused = false;
    bool was_ready = false;
};

enum class poll_loop { unchanged, started, stopped };

struct reconciliation {
    poll_loop loop = poll_loop::unchanged;
    std::vector<jobs::event> events;
    std::optional<jobs::verdict> ready, active, paused;  // nothing: left alone
};

// In KEDA the old generation's jobs are deleted before the triggers are looked at, so that a typing error kills running work;
// outside the strict profile the triggers are built and checked first.
reconciliation reconcile(const gputide::manifest::scaled_job& job, const inspection& found,
                         const std::vector<jobs::job>& jobs, const jobs::erase_job& erase);

}  // namespace conformance::scaledjob_controller
