// The ScaledJobs of an attached cluster: polls their triggers, counts their Jobs, and creates and deletes some, where the Lease is
// its own.  In: a way to the API server, the texts of triggers, who leads.  Out: Jobs, notes for the host, events and a status.
// Everything happens on the thread that drives the loop.  discovery.cpp has how ScaledJobs come and go, polling.cpp one poll up to
// its decision, acting.cpp what becomes of it, report.cpp what others hear.
#pragma once

#include "config/scaled_job.hpp"
#include "jobs/cleaning.hpp"
#include "jobs/decide.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/status.hpp"
#include "kubernetes/controller/awaited.hpp"
#include "kubernetes/controller/collection.hpp"
#include "kubernetes/controller/hindrance.hpp"
#include "kubernetes/controller/jobs/creation.hpp"
#include "kubernetes/controller/jobs/objects.hpp"
#include "kubernetes/controller/marked.hpp"
#include "kubernetes/controller/texts.hpp"
#include "kubernetes/lease/shards.hpp"
#include "pipeline/host.hpp"
#include "runtime/controller.hpp"
#include "runtime/reads.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gputide::kubernetes {

// What it shares with the ScaledObjects of the cluster; all of it lives longer.
struct jobs_surroundings {
    runtime::scaler_host& scalers;
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<const kubernetes::api> api;
    const kubernetes::settings& settings;
    const pipeline::host_options& host;
    std::function<bool()> are_versions_known;  // false: no manifest is read yet
    text_store& texts;
    const shard_leads* leads = nullptr;                 // null: shadow
    std::function<bool(const object_event&)> announce;  // sends where the lead is ours; false: tell it again later
};

class attached_jobs : public std::enable_shared_from_this<attached_jobs> {
  public:
    using key = object_key;

    explicit attached_jobs(jobs_surroundings surroundings);
    attached_jobs(const attached_jobs&) = delete;
    attached_jobs& operator=(const attached_jobs&) = delete;

    void begin();
    void end();
    void mark(const key& name) { changed_->mark(name); }  // its texts may be others
    void read_manifests_again();
    void mark_all() { changed_->mark_all(); }
    void lead_changed();
    void tick();  // once a second

    void describe(json_writer& out) const;  // the member scaled_jobs
    template <class Use>
    void each_watch(Use use) const {
        scaled_jobs_->each_watch(use);
        jobs_->each_watch(use);
        pods_->each_watch(use);
    }

  private:
    // A ScaledJob with what feeds it.
    struct job_work {
        config::scaled_job job;
        std::string job_target;
        std::vector<std::shared_ptr<source::metric_source>> sources;  // null: cpu and memory, which are skipped
        std::vector<source::target> targets;
    };
    // What one poll is carrying out.
    struct poll_batch {
        jobs::decision decision;
        jobs::observation seen;
        std::int64_t left = 0, created = 0, existing = 0, sent = 0;
        std::vector<std::string> refusals;
        std::vector<std::pair<key, std::string>> doomed;  // Jobs and their uids, the next one last
        std::map<std::string, jobs::deletion> deletions;  // by name
        bool is_rollout = false;
        std::string_view propagation;
    };
    struct entry {
        std::size_t texts = 0;  // hash of what it was made of
        std::optional<job_work> at_work;
        holding held;
        bool is_servers = false;  // its trouble is refused: by the server, not by the reader
        std::string announced;    // of why it is held, by an event
        http::ticket timer = 0;
        std::int64_t next_poll_ms = 0;  // steady
        awaited poll;                   // the step of it that is under way
        std::optional<poll_batch> doing;
        std::map<key, std::int64_t> unseen;  // Jobs created that the watch has not brought, and when: steady
        std::set<std::string> deleted;       // uids
        std::int64_t last_ordinal = 0;
        std::int64_t rolled_generation = -1;
        std::int64_t not_before_ms = 0;  // steady: the server asked for patience
        std::int32_t denials = 0;        // in a row
        std::int64_t last_wanted = 0;    // in shadow
        std::optional<bool> was_active;
        std::vector<status_condition> conditions;
        std::int64_t active_ms = 0;             // Unix
        std::int64_t status_not_before_ms = 0;  // steady
        std::int32_t status_failures = 0;
        bool is_status_late = false;  // another one is due as soon as it may be written
        awaited status_write;
        std::optional<jobs::verdict> pause_change;  // that the status under way tells
    };

    // discovery.cpp
    void watch_jobs(const std::string& name_space);
    void job_changed(const key& job);
    void pod_changed(const key& pod);
    void add_all(std::set<key>& names) const;
    void refresh(const key& name);
    void take(const key& name, const scaled_job& object);
    result<job_work> open(const key& name, const scaled_job& object, const scaler_texts& texts) const;
    void drop(const key& name);
    void hold(const key& name, entry& scaler, hindrance hindrance, std::string why);
    void look_at_owner(const key& name, const scaled_job& object, entry& scaler);
    bool leads(const key& name) const;

    // polling.cpp
    void plan(const key& name, entry& scaler, std::int64_t delay_ms);
    bool is_polling(const entry& scaler) const { return scaler.poll.is_under_way(with_.loop->steady_ms()); }
    void poll(const key& name);
    void reads_came(const key& name, const runtime::all_reads& reads);
    std::vector<jobs::trigger_reading> readings(const key& name, const job_work& work, const runtime::all_reads& reads);
    std::vector<jobs::job> jobs_of(const key& name, const entry& scaler) const;
    jobs::observation observe(const key& name, entry& scaler) const;
    void finish(const key& name, entry& scaler);

    // acting.cpp
    write_guard guard(const key& name) const;
    void roll_out(const key& name, entry& scaler);
    void begin_creating(const key& name, entry& scaler);
    void forgive(const key& name, entry& scaler);
    void create_next(const key& name, entry& scaler);
    void created(const key& name, std::int64_t ordinal, const creation& creation);
    void end_creating(const key& name, entry& scaler);
    void clean(const key& name, entry& scaler);
    void doom(const key& name, entry& scaler, const jobs::job& job);
    void delete_next(const key& name, entry& scaler);
    void deleted(const key& name, const std::string& job, const std::string& uid, const deleted_job& gone);
    void end_deleting(const key& name, entry& scaler);

    // report.cpp
    bool announce(const key& name, bool is_warning, std::string_view reason, std::string message);
    void announce(const key& name, const std::vector<jobs::event>& events);
    void announce_hindrance(const key& name, entry& scaler);
    void note_hindrance(const key& name, const entry& scaler);
    void note_membership(const key& name, bool is_there);
    void note_creation(const key& name, const poll_batch& batch);
    void note_deletion(const key& name, const poll_batch& batch, std::int64_t deleted, const std::string& message);
    void note_wanted(const key& name, entry& scaler, std::int64_t wanted);
    bool is_paused(const key& name, const entry& scaler) const;
    static status_condition condition(const char* type, const jobs::verdict& verdict);
    std::vector<status_condition> conditions_of(const key& name, const entry& scaler, const scaled_job& object) const;
    scaled_object_status status_of(const key& name, const entry& scaler, const scaled_job& object) const;
    // Nothing: it may not be written now, or says so already.
    std::optional<scaled_object_status> due_status(const key& name, entry& scaler) const;
    void write_status(const key& name, entry& scaler);
    std::optional<api_request> status_request(const key& name);  // nothing: none is due any more
    void status_written(const key& name, const reply& reply);

    entry* find(const key& name);

    const jobs_surroundings with_;
    std::unique_ptr<collection<scaled_job>> scaled_jobs_;
    std::unique_ptr<collection<seen_job>> jobs_;
    std::unique_ptr<collection<seen_pod>> pods_;
    membership jobs_by_owner_, pods_by_job_;
    std::map<key, entry> entries_;
    std::shared_ptr<marked_objects> changed_;
    bool is_ending_ = false;

    struct counts {
        std::array<std::uint64_t, creation_results> creations{};
        std::uint64_t polls = 0, deletions = 0, deletion_failures = 0, statuses = 0, status_failures = 0;
        std::string status_message;
    } counts_;
};

}  // namespace gputide::kubernetes
