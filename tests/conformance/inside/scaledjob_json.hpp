// ScaledJobs, jobs and readings as keda-scaledjob.json writes them, and what came of them in its words.
#pragma once

#include "config/scaled_job.hpp"
#include "jobs/cleaning.hpp"
#include "jobs/decide.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace conformance {

using json = nlohmann::json;

gputide::config::scaled_job scaled_job_of(const json& one, gputide::config::profile profile);
gputide::config::scaling_strategy strategy_of(const json& written);
std::vector<gputide::jobs::job> jobs_of(const json& one);
std::vector<gputide::jobs::trigger_reading> triggers_of(const json& written);

json events_json(const std::vector<gputide::jobs::event>& events);
json verdict_json(const gputide::jobs::verdict& verdict);

// Answers deletions as a case's delete_errors say, and keeps in which order they were asked for.
class recorded_deletions {
  public:
    explicit recorded_deletions(const json& one) : errors_(one.value("delete_errors", json::array())) {}
    gputide::jobs::erase_job eraser();
    const json& names() const { return names_; }

  private:
    json errors_;
    json names_ = json::array();
};

}  // namespace conformance
