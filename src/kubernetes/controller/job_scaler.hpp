// ScaledJobs: each scaler polls its own triggers, counts its Jobs, and creates and deletes Jobs.
// job_scaler.cpp has how a scaler is opened, what all scalers share and what the status says, job_poll.cpp one poll up to its decision,
// job_changes.cpp the Jobs that are created and deleted.
#pragma once

#include "jobs/cleaning.hpp"
#include "jobs/decide.hpp"
#include "kubernetes/controller/job_creation.hpp"
#include "kubernetes/controller/job_objects.hpp"
#include "kubernetes/controller/reconciler.hpp"
#include "manifest/scaled_job.hpp"
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

class job_rules final : public resource_rules {
  public:
    struct counts {
        std::array<std::uint64_t, creation_results> creations{};
        std::uint64_t polls = 0, deletions = 0, deletion_failures = 0;
    };

    explicit job_rules(controller_context& context);

    const char* kind() const override { return "ScaledJob"; }
    const char* plural() const override { return "scaledjobs"; }
    manifest::document_kind document_kind() const override { return manifest::document_kind::scaled_job; }
    scaled_object read(simdjson::dom::object object) const override {
        return read_scaled_job(object, context_.settings.owner);
    }
    std::shared_ptr<managed_scaler> make(reconciler& of, const object_key& name) override;

    void set_reconciler(const reconciler& of) { of_ = &of; }
    void end();
    void leadership_changed();

    // Watches the Jobs and pods of a namespace, only once it has a ScaledJob: without one no right to them is needed.
    void watch_jobs(const object_key& name);
    const store<seen_job>& seen_jobs() const { return jobs_; }
    const store<seen_pod>& pods() const { return pods_; }
    // Keys of a ScaledJob's Jobs, and of a Job's pods.
    const std::set<object_key>& jobs_of(const object_key& name) const { return jobs_by_owner_.members(name); }
    const std::set<object_key>& pods_of(const object_key& job) const { return pods_by_job_.members(job); }

    counts counted;

    template <class Use>
    void each_watch(Use use) const {
        jobs_.each_watch(use);
        pods_.each_watch(use);
    }
    void describe(json_writer& out) const;  // the member scaled_jobs

  private:
    void job_changed(const object_key& job);
    void pod_changed(const object_key& pod);

    controller_context& context_;
    const reconciler* of_ = nullptr;
    store<seen_job> jobs_;
    store<seen_pod> pods_;
    membership jobs_by_owner_, pods_by_job_;
};

class job_scaler final : public managed_scaler {
  public:
    job_scaler(reconciler& of, job_rules& rules, object_key name)
        : managed_scaler(of, std::move(name)), rules_(rules) {}

    void take(const scaled_object& object) override;
    void tick() override;
    void stop() override;
    bool is_listed() const override { return is_added_; }

    void job_seen(const object_key& key, const seen_job& job);
    void leadership_changed();
    std::size_t unseen() const { return unseen_.size(); }

  private:
    // The manifest with what feeds it.
    struct opened_job {
        manifest::scaled_job job;
        std::string job_target;
        std::vector<std::shared_ptr<source::metric_source>> sources;  // null: cpu and memory, which are skipped
        std::vector<source::target> targets;
    };
    // The changes that one poll carries out.
    struct poll_batch {
        jobs::decision decision;
        jobs::observation seen;
        std::int64_t left = 0, created = 0, existing = 0, sent = 0;
        std::vector<std::string> refusals;
        std::vector<std::pair<object_key, std::string>> doomed;  // Jobs and their uids, the next one last
        std::map<std::string, jobs::deletion> deletions;         // by name
        bool is_rollout = false;
        std::string_view propagation;
    };

    // ---- job_scaler.cpp
    void texts_came(const scaled_object& object) override;
    bool is_open() const override { return true; }  // an equal text would fail as before
    result<void> open(const scaled_object& object, const scaler_texts& texts) override;
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

    // ---- job_changes.cpp
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
    void note_deletion(std::int64_t deleted, const std::string& message) const;
    void note_wanted(std::int64_t wanted);

    job_rules& rules_;
    bool is_added_ = false;  // the host was told
    std::optional<opened_job> at_work_;
    bool is_refused_by_server_ = false;  // its problem is refused: by the server, not by the reader

    http::ticket timer_ = 0;
    std::int64_t next_poll_ms_ = 0;  // steady
    awaited poll_;                   // the step of a poll that is under way
    std::optional<poll_batch> batch_;
    std::map<object_key, std::int64_t> unseen_;  // Jobs created that the watch has not brought, and when: steady
    std::set<std::string> deleted_;              // uids
    std::int64_t last_ordinal_ = 0;
    std::int64_t rolled_generation_ = -1;
    std::int64_t not_before_ms_ = 0;  // steady: the server asked for a pause
    std::int32_t denials_ = 0;        // in a row
    std::int64_t last_wanted_ = 0;    // in shadow
    std::optional<bool> was_active_;
    std::optional<jobs::verdict> pause_change_;  // that the status under way tells
};

// The condition of that type.
status_condition condition_of(const char* type, const jobs::verdict& verdict);

}  // namespace gputide::kubernetes
