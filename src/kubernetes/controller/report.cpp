// What the host is told of an attached cluster: notes as they happen, and the whole on request.
#include "base/json_writer.hpp"
#include "kubernetes/controller/attached.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t tick_ms = 1'000;
constexpr std::size_t most_listed = 100;  // scalers that are held, in one description

json_writer begin_note(const char* event, const object_key& name) {
    json_writer out;
    out.begin_object().member("event", event).member("namespace", name.name_space).member("name", name.name);
    return out;
}

void write_watch(json_writer& writer, const watcher& one, std::size_t objects, const unreadable_objects& unreadable,
                 std::int64_t now_ms) {
    const watch_health& health = one.health();
    writer.begin_object().member("resource", one.collection().resource).member("path", one.collection().path);
    writer.member("known", health.is_known).member("missing", health.is_missing).member("objects", objects);
    writer.member("heard_ms_ago", health.heard_ms == 0 ? std::int64_t{-1} : now_ms - health.heard_ms);
    writer.member("lists", health.lists).member("watches", health.watches).member("events", health.events);
    writer.member("deaths", health.deaths).member("message", health.why.message);
    unreadable.describe(writer);
    writer.end_object();
}

}  // namespace

void attached_cluster::note(const key& name, const std::string& json) {
    const auto at = entries_.find(name);
    fleet_.queue_note(at == entries_.end() ? 0 : at->second.id, name.text(), json);
}

void attached_cluster::note_membership(const key& name, const entry& scaler, bool is_there) {
    json_writer out = begin_note(is_there ? "added" : "removed", name);
    out.member("target", scaler.target.kind + "/" + scaler.target.name);
    note(name, out.end_object().take());
}

void attached_cluster::note_hindrance(const key& name, const entry& scaler) {
    json_writer out = begin_note(scaler.held.is_held() ? "held" : "resumed", name);
    if (scaler.held.is_held())
        out.member("reason", hindrance_name(scaler.held.reason())).member("message", scaler.held.why());
    note(name, out.end_object().take());
}

void attached_cluster::note_write(const key& name, const entry& scaler, const decide::decision& decision,
                                  const written& written) {
    json_writer out = begin_note("write", name);
    out.member("target", scaler.where->text() + "/" + scaler.target.name).member("from", decision.current_replicas);
    out.member("to", decision.desired_replicas).member("result", write_result_name(written.result));
    out.member("conflicts", written.conflicts).member("message", written.why.message);
    note(name, out.end_object().take());
}

void attached_cluster::note_difference(const key& name, const entry& scaler, const fresh_decision& fresh,
                                       const compared_sizes& sizes, const std::string& their_reason) {
    const decide::decision& decision = fresh.decision;
    const auto explains = std::find_if(fresh.others.begin(), fresh.others.end(),
                                       [&](const auto& other) { return other.second == sizes.theirs; });
    json_writer out = begin_note("difference", name);
    out.member("target", scaler.where->text() + "/" + scaler.target.name).member("ours", sizes.ours);
    out.member("theirs", sizes.theirs).member("proposed", decision.proposed_replicas);
    out.member("limited_by", decide::limit_name(decision.limited_by)).member("their_reason", their_reason);
    out.member("explained_by", explains == fresh.others.end() ? std::string() : "the rules of " + explains->first);
    note(name, out.end_object().take());
}

void attached_cluster::note_lead(std::int32_t shard, bool leads) {
    json_writer out = begin_note("lead", {settings_.lease_namespace, lease_name(settings_.lease_name, shard)});
    out.member("shard", shard).member("leads", leads).member("identity", settings_.identity);
    fleet_.queue_note(0, settings_.lease_namespace + "/" + lease_name(settings_.lease_name, shard),
                      out.end_object().take());
}

// Kinds that were not found are looked for again, texts may have come, and secrets may have changed.
void attached_cluster::tick() {
    tick_ = loop_->after(tick_ms, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->tick();
    });
    if (leads_) lead_changed();  // one that ran out makes no noise
    look_for_versions();
    texts_->look_again();
    jobs_->tick();
    if (restorer_) restorer_->tick();
    events_->tick();
    for (auto& [name, scaler] : entries_) {
        const scaled_object* object = scaler.held.is_held() ? scalers_->find(name) : nullptr;
        if (object != nullptr) {  // it may have no decisions
            write_status(name, scaler, *object);
            if (restorer_) restorer_->keep_finalizer(name, *object);
        }
        announce_hindrance(name, scaler);
        const bool waits_for_texts = scaler.id == 0 && scaler.held.trouble() == hindrance::none;
        if (waits_for_texts || (scaler.id != 0 && !scaler.where)) changed_->mark(name);
        // A list that comes without a target calls nothing for it.
        const bool is_never_seen = scaler.where && !scaler.seen_size && scaler.held.trouble() == hindrance::none;
        const bool is_due = scaler.is_scale_due && loop_->steady_ms() >= scaler.scale_not_before_ms;
        if (is_due || is_never_seen) observe(name, scaler);
    }
    changed_->look_again();
    std::string text = description();
    const std::lock_guard hold(lock_);
    described_ = std::move(text);
}

std::string attached_cluster::describe() const {
    const std::lock_guard hold(lock_);
    return described_.empty() ? "{}" : described_;
}

std::string attached_cluster::description() const {
    const std::int64_t now_ms = loop_->steady_ms();
    json_writer out;
    out.begin_object().member("server", api_->at().server).member("shadow", settings_.shadow);
    out.key("versions");
    write_versions(out, settings_, versions_.value_or(found_versions{}));
    out.member("owner", settings_.owner).member("identity", settings_.identity).member("shards", settings_.shards);
    out.key("leases").begin_array();
    for (std::size_t shard = 0; leads_ && shard < leads_->electors().size(); ++shard) {
        const elector& one = *leads_->electors()[shard];
        out.begin_object().member("name", one.plan().settings().name).member("namespace", settings_.lease_namespace);
        out.member("leads", one.leads()).member("holder", one.plan().record().holder);
        out.member("agrees", one.agrees()).member("message", one.why().message).end_object();
    }
    out.end_array().key("watches").begin_array();
    const auto each = [&](const watcher& one, std::size_t objects, const unreadable_objects& unreadable) {
        write_watch(out, one, objects, unreadable, now_ms);
    };
    scalers_->each_watch(each);
    texts_->authentications().each_watch(each);
    texts_->cluster_authentications().each_watch(each);
    rivals_->each_watch(each);
    for (const auto& [name, of] : targets_) of->each_watch(each);
    jobs_->each_watch(each);
    out.end_array().key("writes").begin_object();
    for (std::size_t what = 0; what < counts_.writes.size(); ++what) {
        out.member(write_result_name(static_cast<write_result>(what)), counts_.writes[what]);
    }
    out.end_object().member("conflicts", counts_.conflicts).member("scale_reads", counts_.gets);
    out.member("scale_writes", counts_.puts).member("differences", counts_.differences);
    out.member("status_writes", counts_.statuses).member("status_failures", counts_.status_failures);
    out.member("status_message", counts_.status_message);
    const event_sender::counts& events = events_->counted();
    out.member("event_writes", events.sent).member("event_failures", events.failures);
    out.member("event_message", events.message);
    std::size_t scalers = 0, differing = 0;
    hindrance_counts held{};
    for (const auto& [name, scaler] : entries_) {
        scalers += scaler.id != 0 ? 1U : 0U;
        ++held[static_cast<std::size_t>(scaler.held.reason())];
        differing += scaler.shadow.is_different() ? 1U : 0U;
    }
    out.member("scalers", scalers).member("differing", differing);
    write_held(out, held);
    out.key("held").begin_array();
    std::size_t listed = 0;
    for (const auto& [name, scaler] : entries_) {
        if (!scaler.held.is_held() || ++listed > most_listed) continue;
        out.begin_object().member("namespace", name.name_space).member("name", name.name);
        out.member("reason", hindrance_name(scaler.held.reason())).member("message", scaler.held.why()).end_object();
    }
    out.end_array();
    jobs_->describe(out);
    return out.end_object().take();
}

}  // namespace gputide::kubernetes
