// Creates a scaler for each object of a kind, and reconciles it when the object, or a TriggerAuthentication, Secret or ConfigMap
// that it references, has changed.  The kinds are in object_scaler.hpp and job_scaler.hpp.
// Runs on the thread that drives the loop, except functions with another comment.
#pragma once

#include "base/json_writer.hpp"
#include "jobs/decide.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/controller/events.hpp"
#include "kubernetes/controller/store.hpp"
#include "kubernetes/controller/texts.hpp"
#include "kubernetes/lease/elector.hpp"
#include "kubernetes/scale/writer.hpp"
#include "runtime/controller.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// The reasons for which a scaler is blocked.  A blocked scaler writes nothing until the reason ends.

// Their names are the values in the JSON.
enum class block_reason : std::int32_t {
    none = 0,
    refused,    // its manifest has an error
    unknown,    // the API server does not serve the target's kind, or the kind has no scale
    no_target,  // the target does not exist
    unseen,     // the target or its HPAs cannot be read now
    contested,  // another controller scales the same target
    not_owner,  // gputide.io/owner names another gputide
};
inline constexpr std::size_t block_reasons = 7;
const char* block_reason_name(block_reason reason) noexcept;

using block_counts = std::array<std::size_t, block_reasons>;
// Writes the members held_reasons and held_count, which is their sum.
void write_block_counts(json_writer& out, const block_counts& counts);

// The block of a scaler.  Another owner is kept apart from other problems: it takes precedence, and the end of a problem does not
// remove it.
class block_state {
  public:
    block_reason reason() const { return shown().reason; }
    const std::string& why() const { return shown().why; }
    bool is_blocked() const { return reason() != block_reason::none; }

    bool has_other_owner() const { return owner_.reason != block_reason::none; }
    block_reason problem() const { return problem_.reason; }  // even if another owner takes precedence

    // Set or clear (none) a reason.  They return true if reason() or why() has changed.
    bool set_owner(block_reason reason, std::string why) { return set(owner_, reason, std::move(why)); }
    bool set_problem(block_reason reason, std::string why) { return set(problem_, reason, std::move(why)); }

  private:
    struct part {
        block_reason reason = block_reason::none;
        std::string why;
    };

    const part& shown() const { return has_other_owner() ? owner_ : problem_; }
    bool set(part& which, block_reason reason, std::string why);

    part owner_;
    part problem_;
};

// Shared by all parts of a controller, which it outlives.
struct controller_context {
    runtime::scaler_host& scalers;
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<kubernetes::api> api;
    const kubernetes::settings settings;
    pipeline::host_options host;             // for no namespace yet; see tenant_options()
    std::optional<found_versions> versions;  // empty: unknown; manifests are not read until they are known
    std::shared_ptr<resource_finder> finder;
    std::shared_ptr<event_sender> events;
    std::unique_ptr<text_store> texts;
    std::unique_ptr<shard_leads> leads;  // null in shadow mode
    std::vector<bool> led;               // by shard, as last recorded
    bool is_ending = false;              // nothing is written any more

    std::int64_t now_ms() const { return loop->steady_ms(); }
    bool is_leader(const object_key& name) const { return !is_ending && leads && leads->leads(name); }
    // Tells whether this process scales the object, or compares it in shadow mode.
    bool acts_on(const object_key& name) const { return settings.shadow || is_leader(name); }
    bool may_write(const object_key& name) const { return !is_ending && leads && leads->may_write(name); }
    // Sends an event if this process is leader.  Returns false if the caller must try again later.
    bool announce(const object_event& event) const { return may_write(event.about) && events->send(event); }
    // Returns the watched namespaces; a single "" means all.
    std::vector<std::string> watched_namespaces() const;
    std::string watched_namespace_of(const object_key& name) const {
        return settings.namespaces.empty() ? std::string() : name.name_space;
    }
};

class reconciler;

// The scaler of an object.
class managed_scaler : public std::enable_shared_from_this<managed_scaler> {
  public:
    managed_scaler(reconciler& of, object_key its_name) : of_(of), name_(std::move(its_name)) {}
    managed_scaler(const managed_scaler&) = delete;
    managed_scaler& operator=(const managed_scaler&) = delete;
    virtual ~managed_scaler() = default;

    const object_key& name() const { return name_; }
    const block_state& block() const { return block_; }
    virtual bool is_listed() const { return true; }  // whether describe_blocks() includes it
    const scaled_object* object() const;             // as last watched; null: deleted

    // Called after the object, or an object that it references, has changed.
    virtual void take(const scaled_object& object) = 0;
    virtual void tick();  // once a second
    virtual void stop();  // before it is removed
    void set_stopped() { is_stopped_ = true; }
    void note_news() { is_news_ = true; }
    void read_manifest_again() { texts_ = 0; }

  protected:
    controller_context& with() const;

    // Opens the texts if they have changed.  A manifest with an error leaves the running scaler unchanged.  Returns false while
    // texts or versions are missing; take() is called again then.
    bool load(const scaled_object& object);
    // false: load() opens the texts again even if they are unchanged
    virtual bool is_open() const = 0;
    // is_news: the object was created or changed after the initial list.
    virtual result<void> open(const scaled_object& object, const scaler_texts& texts, bool is_news) = 0;

    void set_problem(block_reason reason, std::string why);
    void end_problem(block_reason reason);  // if it is the current problem
    void note_block() const;
    virtual jobs::event block_event() const = 0;  // for kubectl: blocked or ready

    virtual runtime::scaler_id id() const { return 0; }  // in the scaler host; 0: none
    json_writer begin_note(const char* event) const;
    void note(json_writer& note) const;
    void note_membership(bool is_there, std::string_view target = {}) const;
    bool announce(bool is_warning, std::string_view reason, std::string message) const;

    // Writes the object's status if it has changed, at most every 15 s.
    void write_status();
    virtual bool is_status_known() const = 0;  // false: nothing was decided yet
    virtual scaled_object_status status_of(const scaled_object& object) = 0;
    virtual bool wants_status_soon() const { return block_.is_blocked(); }  // in the next tick()
    virtual void status_was_written() {}
    // Sets lastActiveTime in steps of step_s, so that not every decision changes the status.
    void set_last_active(std::int64_t step_s, scaled_object_status& status) const;

    // Tells whether this process may write for this object now.
    virtual bool may_write() const;
    write_guard guard();

    reconciler& of_;
    const object_key name_;
    block_state block_;
    bool is_news_ = false;                      // created or changed after the initial list
    bool is_stopped_ = false;                   // removed
    bool is_status_late_ = false;               // a changed status waits to be written
    std::vector<status_condition> conditions_;  // of the last decision
    std::int64_t active_ms_ = 0;                // Unix milliseconds of the last decision that was active

  private:
    std::optional<scaled_object_status> due_status();
    void status_written(const reply& reply);
    void announce_block();

    std::size_t texts_ = 0;  // hash of the opened texts
    std::string announced_;  // block reason in the last Kubernetes event
    attempt status_write_;
};

// All objects of a kind.
class reconciler {
  public:
    struct counts {
        std::uint64_t statuses = 0, status_failures = 0;
        std::string status_message;  // of the last failure
    };
    using reader = scaled_object (*)(simdjson::dom::object object, std::string_view owner);

    // kind: scaled_object or scaled_job.
    reconciler(controller_context& context, manifest::document_kind kind, reader read);
    reconciler(const reconciler&) = delete;
    reconciler& operator=(const reconciler&) = delete;
    virtual ~reconciler() = default;

    virtual void begin();
    virtual void end();
    void tick();  // once a second
    void add(const object_key& name) { queue_->add(name); }
    void add_all() { queue_->add_all(); }
    void read_manifests_again();
    void drop(const object_key& name);

    controller_context& context() const { return context_; }
    manifest::document_kind kind() const { return kind_; }
    const char* plural() const { return kind_ == manifest::document_kind::scaled_job ? "scaledjobs" : "scaledobjects"; }
    const store<scaled_object>& objects() const { return objects_; }
    // Scaler: the class of this kind's scalers.  Returns null if there is none.
    template <class Scaler = managed_scaler>
    Scaler* find(const object_key& name) const {
        const auto at = scalers_.find(name);
        return at == scalers_.end() ? nullptr : static_cast<Scaler*>(at->second.get());
    }
    template <class Scaler = managed_scaler, class Use>
    void each(Use use) const {
        for (const auto& [name, scaler] : scalers_) use(static_cast<Scaler&>(*scaler));
    }

    // Sends an event about an object; returns false if the caller must try again later.
    bool announce(const object_key& name, bool is_warning, std::string_view reason, std::string message) const;

    counts counted;
    void describe_statuses(json_writer& out) const;
    void describe_blocks(json_writer& out) const;

  protected:
    virtual std::shared_ptr<managed_scaler> make(const object_key& name) = 0;
    virtual bool wants(const object_key&) const { return true; }  // false: this instance has no scaler for it
    virtual void changed(const object_key&) {}                    // called before its scaler's take()

    controller_context& context_;

  private:
    void refresh(const object_key& name);

    const manifest::document_kind kind_;
    store<scaled_object> objects_;
    std::map<object_key, std::shared_ptr<managed_scaler>> scalers_;
    std::set<object_key> news_;  // created or changed after the initial list
    std::shared_ptr<work_queue> queue_;
};

}  // namespace gputide::kubernetes
