// A cluster that a runtime works on by itself: finds its ScaledObjects, sees the sizes of what they scale, has the fleet decide,
// and writes, where the Lease is its own.  In: settings, a way to the API server.  Out: scalers in the fleet, sizes on the
// cluster, notes for the host.
// Everything happens on the thread that drives the loop, but for what says otherwise.  discovery.cpp has how scalers come and
// go, targets.cpp how what they scale is seen, acting.cpp what becomes of decisions, status.cpp and events.cpp what kubectl shows of
// them, versions.cpp which releases the cluster runs, report.cpp what the host hears.
#pragma once

#include "decide/trace/keda_texts.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/status.hpp"
#include "kubernetes/api/version_search.hpp"
#include "kubernetes/controller/awaited.hpp"
#include "kubernetes/controller/collection.hpp"
#include "kubernetes/controller/comparison.hpp"
#include "kubernetes/controller/event_sender.hpp"
#include "kubernetes/controller/hindrance.hpp"
#include "kubernetes/controller/jobs/attached_jobs.hpp"
#include "kubernetes/controller/marked.hpp"
#include "kubernetes/controller/restoring.hpp"
#include "kubernetes/controller/texts.hpp"
#include "kubernetes/lease/shards.hpp"
#include "kubernetes/scale/writer.hpp"
#include "pipeline/host.hpp"
#include "runtime/controller.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

class attached_cluster final : public runtime::controller,
                               public runtime::actor,
                               public std::enable_shared_from_this<attached_cluster> {
  public:
    // scalers and loop live longer than this is driven.
    attached_cluster(runtime::scaler_host& scalers, std::shared_ptr<http::loop> loop, kube::access access,
                     kubernetes::settings settings, pipeline::host_options host);

    // ---- any thread
    void start() override;
    // Comes from within the fleet, and goes nowhere back.
    void decided(runtime::scaler_id id, const runtime::scaler& made) override;
    // Nothing is written any more, what is led is given back, and its scalers leave the fleet; `done` runs once, on the loop.
    void end(std::function<void()> done) override;
    std::string describe() const override;  // JSON, docs/json.md

  private:
    // One ScaledObject at work.
    struct entry {
        runtime::scaler_id id = 0;  // 0: not in the fleet
        std::size_t texts = 0;      // hash of what it was made of
        target_reference target;
        std::optional<resource> where;
        holding held;
        bool waits_for_rivals = false;  // held, as it is not known whether an HPA scales it
        std::string announced;          // of why it is held, by an event
        std::string own_version;        // that our last write, or its read, came to: what is older is not looked at
        std::optional<std::int32_t> own_size;  // that we wrote last
        std::optional<std::int32_t> seen_size;
        std::optional<std::int32_t> first_size;  // that was seen, before any of ours
        std::vector<std::int64_t> foreign_ms;    // steady: when others changed it, the last few
        std::size_t manifest = 0;                // hash of what the ScaledObject says of how it is scaled, and by whom
        bool is_marked_ours = false;             // gputide.io/owner of the ScaledObject names us
        bool is_kedas = false;                   // KEDA's finalizer is on it
        bool is_paused = false;                  // it holds KEDA off
        std::int64_t hpa_until_ms = 0;   // steady: KEDA is to make its HPA until then; 0: that is not waited for
        std::int64_t not_before_ms = 0;  // steady: the server asked for patience
        std::int32_t denials = 0;        // writes that failed for want of a right, in a row
        bool is_new = false;             // and the host has not been told
        awaited write;                   // of a size
        awaited scale_read;
        bool is_scale_due = false;             // it is to be read, once more where it is being read
        std::int64_t scale_not_before_ms = 0;  // steady
        std::int32_t scale_failures = 0;       // in a row
        comparison shadow;
        std::vector<status_condition> conditions;     // of the last decision, for the ScaledObject's status
        std::int64_t active_ms = 0;                   // Unix: when a decision found it active last
        std::map<std::string, metric_health> health;  // of the last decision, likewise
        std::int64_t inherited_active_s = 0;          // of the status, as the scaler was given it
        std::int64_t status_not_before_ms = 0;        // steady
        std::int32_t status_failures = 0;             // in a row
        awaited status_write;
    };
    using key = object_key;

    // discovery.cpp
    lease_settings lease() const;
    void begin();
    void watch_all();
    void add_all(std::set<key>& names) const;
    void refresh(const key& name);
    void take(const key& name, const scaled_object& object, entry& scaler);
    void take_manifest(const key& name, const scaled_object& object, entry& scaler);
    void await_hpa(const key& name, const scaled_object& object, entry& scaler) const;
    void load(const key& name, const scaler_texts& texts, entry& scaler);
    void inherit(const scaled_object& object, entry& scaler);
    void drop(const key& name);
    void hold(const key& name, entry& scaler, hindrance hindrance, std::string why);
    static std::size_t manifest_hash(const scaled_object& object);
    bool wants(const key& name) const;

    // versions.cpp
    // No manifest is read before the first search is over.
    bool are_versions_known() const { return versions_.has_value(); }
    void look_for_versions();
    void version_answer_came(const reply& reply);
    void take_versions();
    void read_manifests_again();

    // targets.cpp
    void locate(const key& name, entry& scaler);
    void unlink(const key& name, entry& scaler);
    void watch_targets(const resource& resource, const std::string& name_space);
    void target_changed(const std::string& resource, const key& target);
    void observe(const key& name, entry& scaler);
    void observe_size(const key& name, entry& scaler, const target_size& size);
    void read_scale(const key& name, entry& scaler);
    void scale_came(const key& name, entry& scaler, const result<kube::scale>& scale);
    void note_foreign(const key& name, entry& scaler, std::int32_t size);
    void forget_foreign(entry& scaler) const;
    key target_of(const key& name, const entry& scaler) const { return {name.name_space, scaler.target.name}; }

    // acting.cpp
    struct fresh_decision {
        runtime::scaler_id id = 0;
        decide::decision decision;
        std::vector<status_condition> conditions;  // status.cpp's
        std::map<std::string, metric_health> health;
        std::string reason;                                        // of a rescale that it wants
        decide::write_event event;                                 // of KEDA's own write
        std::vector<std::pair<std::string, std::int32_t>> others;  // what other releases would decide: "KEDA 2.20", 3
    };
    void take_decisions();
    void take_decision(fresh_decision& fresh);
    void act(const key& name, entry& scaler, const fresh_decision& fresh);
    void write(const key& name, entry& scaler, const fresh_decision& fresh);
    write_guard guard(const key& name, std::size_t manifest);
    bool is_wanted(const key& name, std::size_t manifest);
    void wrote(const key& name, const fresh_decision& fresh, const written& written);
    static void note_refusal(entry& scaler, const decide::decision& recorded, const std::string& error);
    void count(const written& written);
    void see_changed(const key& name, entry& scaler, const written& written);
    void compare(const key& name, entry& scaler, const fresh_decision& fresh);
    bool is_free(const key& name, entry& scaler);
    bool is_contested(const key& name, entry& scaler) const;
    bool awaits_hpa(const entry& scaler) const { return loop_->steady_ms() < scaler.hpa_until_ms; }
    void lead_changed();

    // status.cpp
    static std::vector<status_condition> status_conditions(const decide::policy& policy,
                                                           const decide::decision& decision);
    static std::map<std::string, metric_health> status_health(const decide::policy& policy, const decide::state& state);
    // Nothing: it may not be written now, or says so already.
    std::optional<scaled_object_status> due_status(const key& name, const entry& scaler,
                                                   const scaled_object& object) const;
    void write_status(const key& name, entry& scaler, const scaled_object& object);
    std::optional<api_request> status_request(const key& name) const;  // nothing: none is due any more
    void status_written(const key& name, const reply& reply);
    scaled_object_status status_of(const entry& scaler, const scaled_object& object) const;

    // events.cpp
    // Each returns false where the event is to be told again later, if it still holds.
    bool announce(const key& name, bool is_warning, std::string reason, std::string message);
    bool announce(const object_event& event);
    void announce_write(const key& name, const entry& scaler, const fresh_decision& fresh, bool is_applied,
                        const std::string& error);
    void announce_hindrance(const key& name, entry& scaler);

    // report.cpp
    void note(const key& name, const std::string& json);
    void note_membership(const key& name, const entry& scaler, bool is_there);
    void note_hindrance(const key& name, const entry& scaler);
    void note_write(const key& name, const entry& scaler, const decide::decision& decision, const written& written);
    void note_difference(const key& name, const entry& scaler, const fresh_decision& fresh, const compared_sizes& sizes,
                         const std::string& their_reason);
    void note_lead(std::int32_t shard, bool leads);
    void tick();
    std::string description() const;

    runtime::scaler_host& fleet_;
    const std::shared_ptr<http::loop> loop_;
    const std::shared_ptr<const api> api_;
    const settings settings_;
    pipeline::host_options host_;             // of no namespace yet
    std::optional<found_versions> versions_;  // nothing: they are looked for
    std::optional<version_search> search_;    // under way
    awaited version_answer_;
    std::int64_t versions_due_ms_ = 0;  // steady: when they are looked for again
    const std::shared_ptr<resource_finder> finder_;
    const std::shared_ptr<event_sender> events_;

    std::unique_ptr<text_store> texts_;
    std::unique_ptr<collection<scaled_object>> scalers_;
    std::unique_ptr<collection<autoscaler>> rivals_;
    std::map<std::string, std::unique_ptr<collection<target_size>>> targets_;  // by resource: "deployments.apps"
    std::unique_ptr<shard_leads> leads_;                                       // null: shadow
    std::shared_ptr<attached_jobs> jobs_;
    std::shared_ptr<restorer> restorer_;  // null: shadow

    std::map<key, entry> entries_;
    std::unordered_map<runtime::scaler_id, key> by_id_;
    std::map<std::pair<std::string, key>, std::set<key>> by_target_;  // resource and target to who scales it
    std::shared_ptr<marked_objects> changed_;
    std::set<key> news_;     // came or changed while it was watched, so that it is no crowd and soon to be asked for
    std::vector<bool> led_;  // as it was told last, by shard
    http::ticket tick_ = 0;
    bool is_ending_ = false;

    struct counts {
        std::array<std::uint64_t, write_results> writes{};
        std::uint64_t conflicts = 0, gets = 0, puts = 0, differences = 0;
        std::uint64_t statuses = 0, status_failures = 0;
        std::string status_message;  // of the last of these failures
    } counts_;

    mutable std::mutex lock_;  // guards what follows
    std::vector<fresh_decision> decisions_;
    std::weak_ptr<const bool> taker_;  // held by the callback that takes them; expired: there is none
    std::string described_;
};

// Opens the controller of the cluster that host.cluster names.  Errors: what keeps the API server from being asked.
result<std::shared_ptr<runtime::controller>> open_controller(const runtime::controller_services& services,
                                                             settings settings, const pipeline::host_options& host);

}  // namespace gputide::kubernetes
