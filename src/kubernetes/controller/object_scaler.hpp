// ScaledObjects: the scaler host decides, and this observes the target and writes its replicas.
// object_scaler.cpp opens a scaler and checks the right to scale its target, object_target.cpp finds, observes and scales the target
// and notes whether its pods can have nodes, object_reconciler.cpp holds what all scalers share, restore.cpp restores the size of
// deleted objects.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "decide/decide.hpp"
#include "decide/trace/texts.hpp"
#include "kubernetes/api/capacity.hpp"
#include "kubernetes/controller/reconciler.hpp"
#include "kubernetes/controller/store.hpp"
#include "kubernetes/scale/writer.hpp"
#include "kubernetes/watch/list.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// Finds the HPA that scales a target, and compares its size with gputide's decision.  Pure.

// Returns the HPA that scales the target, preferably KEDA's own; nullptr if none is known.
const autoscaler* rival_of(const store<autoscaler>& rivals, const object_key& key, const target_reference& target);

struct compared_sizes {
    std::int32_t ours = 0;
    std::int32_t theirs = 0;
    bool theirs_counts = true;  // the HPA has metrics, so its size is meaningful
};

// The comparison for a scaler.  A difference is reported once, after it has lasted longer than sync_ms, and ends when the sizes
// are equal.
class comparison {
  public:
    // Returns true when a difference is to be reported.
    bool differs(const compared_sizes& sizes, std::int64_t now_ms, std::int64_t sync_ms);
    bool is_different() const { return is_reported_; }
    std::uint64_t compared() const { return compared_; }

  private:
    // Until our stabilization windows are full, only a larger size counts as a difference: a full window might have prevented a
    // smaller one.
    static constexpr std::int64_t longest_window_ms = 300'000;

    std::int64_t first_ms_ = 0;             // first comparison
    std::optional<std::int64_t> since_ms_;  // empty: no difference
    bool is_reported_ = false;
    std::uint64_t compared_ = 0;
};

class object_scaler;

// Returns a hash of a ScaledObject's manifest and owner.
std::size_t manifest_hash(const scaled_object& object);

// A decision, passed from the scaler host's thread to the loop.
struct fresh_decision {
    std::weak_ptr<object_scaler> of;
    decide::decision decision;
    std::vector<status_condition> conditions;
    std::map<std::string, metric_health> health;
    std::string reason;                                        // of a rescale
    decide::write_event event;                                 // of a write by KEDA's half
    std::vector<std::pair<std::string, std::int32_t>> others;  // results by the rules of other releases: "KEDA 2.20", 3
};

// Reads which pods get no node: while a target waits for pods, the pods without a node, the events of the autoscaler about them, and
// its status, each 15 s.  Each needs a permission; only the list of pods is required.
// Everything happens on the thread that drives the loop.

using shortages = std::map<pod_owner, shortage>;

class capacity_reader {
  public:
    // take: gets the result of each pass.
    capacity_reader(const controller_context& context, callback<void(const shortages&)> take)
        : with_(context), take_(std::move(take)) {}
    capacity_reader(const capacity_reader&) = delete;
    capacity_reader& operator=(const capacity_reader&) = delete;

    void tick(function_ref<bool()> is_wanted);  // once a second
    void end() { work_.cancel(); }

    // Returns why the last pass knows less than it could; "": nothing is missing.
    const std::string& message() const { return message_; }

  private:
    void add_parts(const std::string& resource, std::string_view query);
    void read_next();
    void read_page(const page& page, const std::string& body);
    void read_came(const result<void>& read);
    void read_status();
    void conclude(const std::vector<full_pool>& pools);
    void note_failure(const error& why);
    void show_failure();

    const controller_context& with_;
    const callback<void(const shortages&)> take_;
    awaited work_;
    std::int64_t next_ms_ = 0;  // steady
    std::string message_;

    struct pass {
        std::vector<endpoint> left;  // to be read, the next one last
        bool reads_events = false;   // false: the lists of pods
        std::vector<unplaced_pod> pods;
        std::set<std::string> seen;  // their uids: a list may begin again
        autoscaler_verdicts verdicts;
        std::string failure;
    };
    pass pass_;  // under way
};

class object_reconciler;

// Restores the original size of ScaledObjects with advanced.restoreToOriginalReplicaCount when they are deleted.  A finalizer of
// gputide delays the deletion until the size is written or has failed too often.
// For ScaledObjects with KEDA's finalizer, KEDA does this (kedacore/keda controllers/keda/scaledobject_finalizer.go); they get no
// finalizer of gputide.
class restorer : public std::enable_shared_from_this<restorer> {
  public:
    using key = object_key;

    restorer(controller_context& context, object_reconciler& all) : with_(context), all_(all) {}
    restorer(const restorer&) = delete;
    restorer& operator=(const restorer&) = delete;

    void changed(const key& name);  // called after the ScaledObject was created, changed or deleted
    // Sets or removes the finalizer as needed.
    void keep_finalizer(const key& name, const scaled_object& object);
    void tick();  // once a second
    void end();

  private:
    struct restoring {
        std::int32_t tries = 0;   // failed attempts to restore the size
        bool is_leaving = false;  // the ScaledObject is being deleted
        bool is_over = false;     // only the finalizer must still be removed
        attempt step;             // failures: of the finalizer's patch
    };

    void restore(const key& name);
    void found(const key& name, const result<resource>& resource, const std::string& target, std::int32_t size);
    void wrote_size(const key& name, std::int32_t size, const written& written);
    void restored(const key& name, std::int32_t size);
    void restore_later(const key& name, std::string_view why);
    void give_up(const key& name, std::string_view why);
    void patch_finalizer(const key& name, bool is_wanted);
    // Returns no request if none must be sent now.
    std::optional<api_request> finalizer_request(const key& name, bool is_wanted) const;
    void patched_finalizer(const key& name, bool is_wanted, const reply& reply);

    controller_context& with_;
    object_reconciler& all_;
    std::map<key, restoring> tasks_;
    bool is_ending_ = false;
};

// All ScaledObjects: the HPAs, the sizes of targets, waiting decisions, and counts of writes.
class object_reconciler final : public reconciler {
  public:
    struct write_counts {
        std::array<std::uint64_t, write_results> writes{};
        std::uint64_t conflicts = 0, gets = 0, puts = 0, differences = 0;
    };

    explicit object_reconciler(controller_context& context);

    void begin() override;
    void end() override;
    void tick_shared();  // once a second, before tick()
    // Returns the HPA that scales the target of a ScaledObject; null if none is known.
    const autoscaler* rival_of(const object_key& name, const target_reference& target) const {
        return kubernetes::rival_of(rivals_, name, target);
    }
    const store<autoscaler>& rivals() const { return rivals_; }
    restorer* restoring() const { return restorer_.get(); }  // null in shadow mode

    // Watches the sizes of all targets of a resource, in the scaler's namespace or in all.
    void watch_target(const resource& resource, const object_key& target, const object_key& scaler);
    void forget_target(const resource& resource, const object_key& target, const object_key& scaler);
    const store<target_size>& sizes(const resource& resource) const { return *targets_.at(resource.text()); }

    void count(const written& written);
    write_counts writes;

    void queue(fresh_decision fresh);  // any thread

    void each_watch(watch_visitor use) const {
        rivals_.each_watch(use);
        for (const auto& [resource, sizes] : targets_) sizes->each_watch(use);
    }
    void describe_writes(json_writer& out) const;
    void describe_capacity(json_writer& out) const;

  private:
    std::shared_ptr<managed_scaler> make(const object_key& name) override;
    bool wants(const object_key& name) const override;
    void changed(const object_key& name) override;
    void take_decisions();
    void target_changed(const std::string& resource, const object_key& target);

    store<autoscaler> rivals_;
    std::map<std::string, std::unique_ptr<store<target_size>>> targets_;             // by resource: "deployments.apps"
    std::map<std::pair<std::string, object_key>, std::set<object_key>> scalers_of_;  // by resource and target
    std::shared_ptr<restorer> restorer_;
    capacity_reader capacity_;

    std::mutex lock_;  // guards decisions_ and taker_
    std::vector<fresh_decision> decisions_;
    std::weak_ptr<const bool> taker_;  // held by the pending callback of take_decisions(); expired: none is pending
    const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

class object_scaler final : public managed_scaler, public runtime::actor {
  public:
    object_scaler(object_reconciler& all, object_key name) : managed_scaler(all, std::move(name)), all_(all) {}

    void take(const scaled_object& object) override;
    void tick() override;
    void stop() override;
    void decided(runtime::scaler_id id, const runtime::scaler& decided) override;

    runtime::scaler_id id() const override { return id_; }
    bool is_different() const { return shadow_.is_different(); }  // from the HPA's size, in shadow mode
    void observe();                                               // called when the target has changed
    void carry_out(fresh_decision& fresh);
    // Its target has waited for pods for some time, and this process writes its size or compares it.
    bool awaits_pods() const;
    void take_shortages(const shortages& found);  // of a pass
    void describe_capacity(json_writer& out) const;
    bool lacks_nodes() const { return capacity_.startable() >= 0; }

  private:
    // ---- object_scaler.cpp
    bool is_open() const override { return id_ != 0; }
    result<void> open(const scaled_object& object, const scaler_texts& texts, bool is_news) override;
    result<void> add_or_replace(const scaler_texts& texts);
    void inherit(const scaled_object& object);
    void await_hpa(const scaled_object& object);
    bool awaits_hpa() const { return with().now_ms() < hpa_until_ms_; }
    bool is_free();
    bool is_contested();
    void keep_finalizer();
    jobs::event block_event() const override;
    bool is_status_known() const override { return !conditions_.empty() || block_.is_blocked(); }
    scaled_object_status status_of(const scaled_object& object) override;

    // ---- object_target.cpp
    void locate();
    void located(const result<resource>& found);
    void unlink();
    void forget_sizes();
    object_key target_key() const { return {name_.name_space, target_.name}; }
    std::string written_target() const { return target_.kind + "/" + target_.name; }  // as in the manifest
    std::string target_text() const { return (resource_ ? resource_->text() : target_.kind) + "/" + target_.name; }
    void observe_size(const target_size& size);
    void observe_capacity(const target_size& size, decide::observation& into);
    void keep_capacity();
    std::string capacity_text() const;
    void read_scale();
    void scale_came(const result<kube::scale>& scale);
    void note_foreign(std::int32_t size);
    void forget_foreign();

    void act(const fresh_decision& fresh);
    void write(const fresh_decision& fresh);
    bool is_wanted(std::size_t manifest);
    void wrote(const fresh_decision& fresh, const written& written);
    void note_refusal(const decide::decision& recorded, const std::string& error);
    void see_changed(const written& written);
    void compare(const fresh_decision& fresh);
    void announce_write(const fresh_decision& fresh, bool is_applied, const std::string& error) const;
    void note_write(const decide::decision& decision, const written& written) const;
    void note_difference(const fresh_decision& fresh, const compared_sizes& sizes,
                         const std::string& their_reason) const;

    // Properties of the object that show its owner, as of the last take().
    struct marks {
        bool is_ours = false;      // gputide.io/owner names this gputide
        bool is_kedas = false;     // has KEDA's finalizer
        bool is_paused = false;    // the paused annotation stops KEDA
        std::size_t manifest = 0;  // hash
    };

    object_reconciler& all_;
    runtime::scaler_id id_ = 0;  // 0: not in the scaler host
    target_reference target_;
    std::optional<resource> resource_;  // of the target; empty: not found
    marks marks_;
    bool is_new_ = false;            // the "added" note has not been sent
    bool waits_for_rivals_ = false;  // blocked because it is unknown whether an HPA scales the target
    // Steady clock: until then KEDA is expected to create its HPA; 0: not expected.
    std::int64_t hpa_until_ms_ = 0;
    std::int64_t inherited_active_s_ = 0;  // last_active_s of the status that the scaler has taken over

    target_capacity capacity_;
    std::int32_t target_pods_ = 0;           // of the target, as observed last
    std::int32_t ready_pods_ = 0;            // likewise
    std::int64_t awaits_pods_since_ms_ = 0;  // steady; 0: enough of them are ready

    std::optional<std::int32_t> seen_size_, first_size_;  // first_size_: before our first write
    // resourceVersion of our last write or its read; older observations are ignored.
    std::string own_version_;
    std::optional<std::int32_t> own_size_;  // written by us last
    std::vector<std::int64_t> foreign_ms_;  // steady clock: recent changes by another controller
    // The scale must be read, or read again after the read in progress.
    bool is_scale_due_ = false;
    attempt scale_read_;
    attempt write_;  // failures: consecutive denials

    std::map<std::string, metric_health> health_;  // of the last decision, for the status
    comparison shadow_;
};

}  // namespace gputide::kubernetes
