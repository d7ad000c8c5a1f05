// ScaledJobs: each scaler polls its own triggers, counts its Jobs, and creates and deletes Jobs.
// job_scaler.cpp opens a scaler, holds the state that all scalers share, and builds the status; job_poll.cpp polls, decides, and
// creates and deletes Jobs.
#pragma once

#include "jobs/decide.hpp"
#include "kubernetes/controller/job_objects.hpp"
#include "kubernetes/controller/reconciler.hpp"
#include "manifest/spec.hpp"
#include "runtime/reads.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// All ScaledJobs: their Jobs and pods, and counts of changes.
class job_reconciler final : public reconciler {
  public:
    struct change_counts {
        std::array<std::uint64_t, creation_results> creations{};
        std::uint64_t polls = 0, deletions = 0, deletion_failures = 0;
    };

    explicit job_reconciler(controller_context& context);

    void end() override;
    void leadership_changed();

    // Watches the Jobs and pods of a namespace.  Starts with its first ScaledJob, because the rights are not needed without one.
    void watch_jobs(const object_key& name);
    const store<seen_job>& seen_jobs() const { return jobs_; }
    const store<seen_pod>& pods() const { return pods_; }
    // Return the keys of a ScaledJob's Jobs, and of a Job's pods.
    const std::set<object_key>& jobs_of(const object_key& name) const { return jobs_by_owner_.members(name); }
    const std::set<object_key>& pods_of(const object_key& job) const { return pods_by_job_.members(job); }

    change_counts changes;

    void each_watch(watch_visitor use) const {
        jobs_.each_watch(use);
        pods_.each_watch(use);
    }
    void describe(json_writer& out) const;  // writes the member scaled_jobs

  private:
    std::shared_ptr<managed_scaler> make(const object_key& name) override;
    void job_changed(const object_key& job);
    void pod_changed(const object_key& pod);

    store<seen_job> jobs_;
    store<seen_pod> pods_;
    membership jobs_by_owner_, pods_by_job_;
};

class job_scaler final : public managed_scaler {
  public:
    job_scaler(job_reconciler& all, object_key name) : managed_scaler(all, std::move(name)), all_(all) {}

    void take(const scaled_object& object) override;
    void tick() override;
    void stop() override;
    bool is_listed() const override { return is_added_; }

    void job_seen(const object_key& key, const seen_job& job);
    void leadership_changed();
    std::size_t unseen() const { return unseen_.size(); }
    // Writes limits, GPUs and counts of an opened ScaledJob.
    void describe(json_writer& out) const;

  private:
    // An opened ScaledJob: its manifest, sources and targets.
    struct opened_job {
        manifest::scaled_job job;
        std::string job_target;
        // null: cpu and memory triggers, which are skipped
        std::vector<std::shared_ptr<source::metric_source>> sources;
        std::vector<source::target> targets;
    };
    // The changes that a poll carries out.
    struct poll_batch {
        jobs::decision decision;
        jobs::observation seen;
        std::int64_t left = 0, created = 0, existing = 0, sent = 0;
        std::vector<std::string> refusals;
        std::vector<std::pair<object_key, std::string>> doomed;  // Jobs to delete with their uids, the next one last
        std::int64_t deleted = 0;                                // also Jobs that did not exist any more
        std::map<std::string, std::string> undeleted;            // name and message of the failures
        bool is_rollout = false;
        std::string_view propagation;
    };

    // ---- job_scaler.cpp
    // Unchanged texts are not opened again: the result would be the same.
    bool is_open() const override { return true; }
    result<void> open(const scaled_object& object, const scaler_texts& texts, bool is_news) override;
    result<opened_job> open_triggers(const scaled_object& object, const scaler_texts& texts) const;
    void update_owner(const scaled_object& object);
    bool may_write() const override { return !block_.has_other_owner() && managed_scaler::may_write(); }
    bool is_paused() const;
    jobs::event block_event() const override;
    bool is_status_known() const override { return !conditions_.empty() || block_.is_blocked() || is_paused(); }
    bool wants_status_soon() const override { return block_.is_blocked() || is_status_late_; }
    scaled_object_status status_of(const scaled_object& object) override;
    void status_was_written() override;
    std::vector<status_condition> conditions_for(const scaled_object& object) const;

    // ---- job_poll.cpp
    bool is_polling() const { return poll_.is_under_way(with().now_ms()); }
    void poll_at_once();
    void plan_poll(std::int64_t delay_ms);
    void poll();
    void reads_came(const runtime::all_reads& reads);
    std::vector<jobs::trigger_reading> readings(const runtime::all_reads& reads) const;
    std::vector<jobs::job> known_jobs() const;
    jobs::observation observe();
    void finish();

    void roll_out();
    void begin_creating();
    void end_refusal();
    void create_next();
    void created(std::int64_t ordinal, const creation& creation);
    void creation_failed(const creation& creation);
    void end_creating();
    void doom(const jobs::job& job);
    void delete_next();
    void deleted(const std::string& job, const std::string& uid, const deleted_job& gone);
    void end_deleting();
    void announce_each(const std::vector<jobs::event>& events) const;
    void note_creation() const;
    void note_deletion(const std::string& message) const;
    void note_wanted(std::int64_t wanted);

    job_reconciler& all_;
    bool is_added_ = false;  // the "added" note was sent
    std::optional<opened_job> at_work_;
    // The problem `refused` comes from the API server, not from reading the manifest.
    bool is_refused_by_server_ = false;

    http::ticket timer_ = 0;
    std::int64_t next_poll_ms_ = 0;  // steady clock
    awaited poll_;                   // the current step of a poll
    std::optional<poll_batch> batch_;
    // Created Jobs that the watch has not shown yet, with the time (steady clock).
    std::map<object_key, std::int64_t> unseen_;
    std::set<std::string> deleted_;            // uids of deleted Jobs
    std::optional<jobs::counts> last_counts_;  // of the last poll
    std::int64_t last_ordinal_ = 0;
    std::int64_t rolled_generation_ = -1;
    attempt creation_;              // its time is set after a refusal, denial or Retry-After
    std::int64_t last_wanted_ = 0;  // in shadow mode
    std::optional<bool> was_active_;
    std::optional<jobs::verdict> pause_change_;  // the Paused change in the status write in progress
};

// Returns a condition of this type.
status_condition condition_of(const char* type, const jobs::verdict& verdict);

}  // namespace gputide::kubernetes
