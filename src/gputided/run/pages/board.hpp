// The data of the pages.  The main thread writes, the web server's thread reads.  The size is limited: a scaler's history is a
// ring.
#pragma once

#include "common/json.hpp"
#include "gputide/gputide.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gputided {

// A decision in a scaler's history.
struct point {
    std::int64_t time_ms = 0;
    std::int32_t current = 0;
    std::int32_t desired = 0;
};

// Returns what the pages show of a policy in gputide_runtime_describe: {"kind","min","max","metrics","gpus_per_replica",
// "cost_per_gpu_hour","formula"}, the last two if given.
json policy_of(const json& described);

// Returns the target of a metric in such a policy; AverageValue: per replica; Utilization: percent.
std::optional<double> target_of_metric(const json& metric);

using counts_by_name = std::map<std::string, std::int64_t>;

struct scaler_numbers {
    std::int64_t decisions = 0;
    std::int64_t scaled_up = 0;
    std::int64_t scaled_down = 0;
    std::int64_t write_failures = 0;
    std::int64_t tick_failures = 0;
    double tick_seconds = 0;
    counts_by_name errors;   // by status name
    counts_by_name limited;  // decisions by limited_by

    gputide_decision last{};
    std::int64_t read_ms = 0;     // time of `reads`
    json reads = json::array();   // last_reads() of the metrics
    std::string why;              // sentence about the last decision
    std::string drive;            // deciding metric: "gpu_busy is 87, asks for 6"; "": unknown
    json forecast;                // the forecast's last step; null: no forecast
    json formula_step;            // the formula's last step; null: no formula
    std::int64_t changed_ms = 0;  // time of the last change of replicas, also in a dry run; 0: none

    std::string file;
    std::size_t policy_fingerprint = 0;                     // of the text that `policy` was read from
    json policy = policy_of({{"metrics", json::array()}});  // kind "": the manifest is not known yet
    std::int32_t ready = -1;                                // pods; -1: unknown
    json rise;  // from gputide_runtime_describe: the last time that the load was above the capacity; null: never

    static constexpr std::size_t max_points = 300;  // 75 minutes at one decision every 15 s
    static constexpr std::size_t max_metrics = 16;  // with stored values
    std::deque<point> points;
    std::deque<float> values;  // kept() per point; NaN: no value
    std::size_t kept() const { return std::min(policy.at("metrics").size(), max_metrics); }
};

void add_write(scaler_numbers& numbers, const gputide::decision& decision, bool written);

struct children_numbers {
    std::size_t running = 0;
    std::size_t waiting = 0;
};

struct numbers {
    static constexpr std::size_t max_changes = 100;
    // Changes of replicas of all scalers, oldest first: {"time_ms","scaler","from","to","why","written"}; written is null in a dry
    // run.
    std::deque<ordered_json> changes;
    std::map<std::string, scaler_numbers> scalers;  // by "namespace/name"
    json scaled_jobs = json::array();               // scaled_jobs.objects of gputide_cluster_describe
    std::map<std::string, std::string> broken;      // unusable files with the reason
    std::int64_t reloads = 0;
    std::int64_t reload_failures = 0;
    std::int64_t state_save_failures = 0;
    std::int64_t reloaded_ms = 0;  // time of the last successful reading, including the start
};

class board {
  public:
    explicit board(run_output& output) : problems_(output) {}

    problem_list& problems() { return problems_; }
    const problem_list& problems() const { return problems_; }

    void change(const std::string& scaler, const std::function<void(scaler_numbers&)>& edit);
    void forget(const std::string& scaler);
    // Takes a decision and the problems that it shows.  described: from gputide_runtime_describe; "": nothing was due.  took_s:
    // time from the observed size to the decision.
    void take_decision(const std::string& scaler, const gputide::event& event, const std::string& described,
                       double took_s);
    // Adds the change of replicas that this scaler's last decision wants.
    void add_change(const std::string& scaler, const gputide::decision& decision, std::optional<bool> written);
    void change_own(const std::function<void(numbers&)>& edit);
    // Takes the values of the manifest before the first decision.  described: from gputide_runtime_describe.
    void describe(const std::string& scaler, const std::string& file, const std::string& described);

    // Calls reader(numbers) under the lock.
    template <class Reader>
    auto read(Reader reader) const {
        const std::lock_guard hold(lock_);
        return reader(numbers_);
    }

  private:
    problem_list problems_;
    mutable std::mutex lock_;
    numbers numbers_;
};

}  // namespace gputided
