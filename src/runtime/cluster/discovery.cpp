// How scalers of a cluster come, change and go, and how what they scale is seen.
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "runtime/cluster/attached.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t contested_within_ms = 300'000;  // two foreign changes in that time: somebody scales it

cluster::endpoint kind_at(const char* group, const char* version, const char* plural, const std::string& name_space) {
    cluster::resource resource;
    resource.group = group;
    resource.version = version;
    resource.plural = plural;
    return resource.collection(name_space);
}

}  // namespace

attached_cluster::attached_cluster(fleet& scalers, std::shared_ptr<http::loop> loop, source::kubernetes::access access,
                                   cluster_settings settings, host_options host)
    : fleet_(scalers),
      loop_(std::move(loop)),
      api_(std::make_shared<cluster::api>(loop_, std::move(access))),
      settings_(std::move(settings)),
      host_(std::move(host)),
      finder_(std::make_shared<cluster::resource_finder>(api_)),
      led_(static_cast<std::size_t>(settings_.shards), false),
      events_(settings_.identity) {
    texts_ = std::make_unique<text_store>(
        api_, settings_.cluster_secrets_namespace,
        [this] {
            mark_all();
            jobs_->mark_all();
        },
        [this](const key& one) {
            mark(one);
            jobs_->mark(one);
        });
    scalers_ = std::make_unique<collection<cluster::scaled_object>>(
        [us = settings_.owner](simdjson::dom::object one) { return cluster::read_scaled_object(one, us); },
        [this](const key& one) {
            if (scalers_->is_known(one.name_space)) news_.insert(one);
            mark(one);
        });
    rivals_ = std::make_unique<collection<cluster::autoscaler>>(&cluster::read_autoscaler, [](const key&) {});
    if (!settings_.shadow) leads_ = std::make_unique<cluster::shard_leads>(api_, lease(), [this] { lead_changed(); });
    jobs_ = std::make_shared<attached_jobs>(
        jobs_surroundings{fleet_, loop_, api_, settings_, host_, *texts_, leads_.get(),
                          [this](cluster::object_event event) { announce(std::move(event)); }});
}

cluster::lease_settings attached_cluster::lease() const {
    cluster::lease_settings lease;
    lease.name_space = settings_.lease_namespace;
    lease.name = settings_.lease_name;
    lease.identity = settings_.identity;
    lease.duration_ms = settings_.lease_duration_ms;
    lease.shards = settings_.shards;
    return lease;
}

void attached_cluster::start() {
    loop_->after(0, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->begin();
    });
}

void attached_cluster::begin() {
    if (is_ending_) return;
    watch_all();
    jobs_->begin();
    if (leads_) leads_->start();
    tick();
}

void attached_cluster::watch_all() {
    std::vector<std::string> spaces = settings_.namespaces;
    if (spaces.empty()) spaces.emplace_back();
    for (const std::string& space : spaces) {
        cluster::endpoint scalers = kind_at("keda.sh", "v1alpha1", "scaledobjects", space);
        if (!settings_.selector.empty()) scalers.query = "?labelSelector=" + percent_encode(settings_.selector);
        scalers_->watch(api_, scalers, space);
        texts_->authentications().watch(api_, kind_at("keda.sh", "v1alpha1", "triggerauthentications", space), space);
        // Of what is read here v2beta2 has the same shape; Kubernetes 1.23 brought v2 (k8s.io/api autoscaling/v2).
        rivals_->watch(api_, kind_at("autoscaling", "v2", "horizontalpodautoscalers", space), space, "v2beta2");
    }
    texts_->cluster_authentications().watch(api_, kind_at("keda.sh", "v1alpha1", "clustertriggerauthentications", ""),
                                            "");
}

// Objects come from within a transfer; what they mean is worked out a turn of the loop later.
void attached_cluster::mark(const key& one) {
    dirty_.insert(one);
    drain_soon();
}

void attached_cluster::mark_all() {
    is_all_dirty_ = true;
    drain_soon();
}

void attached_cluster::drain_soon() {
    if (drain_ != 0) return;
    drain_ = loop_->after(0, [self = weak_from_this()] {
        const auto here = self.lock();
        if (!here) return;
        here->drain_ = 0;
        if (!here->is_ending_) here->drain();
    });
}

void attached_cluster::drain() {
    if (std::exchange(is_all_dirty_, false)) {
        scalers_->each([this](const key& one, const cluster::scaled_object&) { dirty_.insert(one); });
        for (const auto& [one, known] : entries_) dirty_.insert(one);
    }
    for (const key& one : std::exchange(dirty_, {})) refresh(one);
}

// With shards each instance polls what it leads alone; without, a standby decides along, so that its windows are full when it
// takes over.  By what lead_changed() saw last, which marks all of them when that changes: a lead that flickers meanwhile loses
// nobody.
bool attached_cluster::wants(const key& one) const {
    if (settings_.shards == 1 || !leads_) return true;
    return led_[static_cast<std::size_t>(cluster::shard_of(one, settings_.shards))];
}

void attached_cluster::refresh(const key& one) {
    const cluster::scaled_object* object = scalers_->find(one);
    if (object == nullptr || object->facts.deleting || !wants(one)) return drop(one);
    take(one, *object, entries_[one]);
}

void attached_cluster::take(const key& one, const cluster::scaled_object& object, entry& scaler) {
    const bool is_anothers = !object.owner.empty() && object.owner != settings_.owner;
    const scaler_texts texts = texts_->texts_of(object);
    if (!texts.is_complete) return;  // it comes again
    const bool is_news = news_.erase(one) > 0;
    if (scaler.id == 0 || scaler.texts != hash_of(texts)) {
        load(one, texts, scaler);
        if (is_news && scaler.id != 0) static_cast<void>(fleet_.hasten(scaler.id));
    }
    if (scaler.id == 0) return;
    inherit(object, scaler);
    if (scaler.target != object.target || !scaler.where) {
        unlink(one, scaler);
        scaler.target = object.target;
        if (std::exchange(scaler.is_new, false)) note_membership(one, scaler, true);
        locate(one, scaler);
    }
    if (is_anothers) {
        hold(one, scaler, hindrance::not_owner,
             "gputide.io/owner says " + object.owner + ", which is not " + settings_.owner);
    } else if (scaler.held_by == hindrance::not_owner) {
        hold(one, scaler, hindrance::none, {});
    }
}

// A manifest with an error changes nothing of what was at work.
void attached_cluster::load(const key& one, const scaler_texts& texts, entry& scaler) {
    scaler.texts = hash_of(texts);
    scaler.inherited_active_s = 0;  // it may begin afresh
    host_options host = host_;
    host.scaler = one.text();
    result<config::spec> spec = load_spec(texts.files, host, nullptr);
    result<void> done;
    if (!spec) {
        done = std::move(spec).failure();
    } else if (scaler.id != 0) {
        done = fleet_.replace(scaler.id, *spec, host_);
    } else {
        result<scaler_id> added = fleet_.add(*spec, host_, 0, actor::cluster);
        if (added) {
            scaler.id = *added;
            by_id_[scaler.id] = one;
            scaler.is_new = true;
        } else {
            done = std::move(added).failure();
        }
    }
    if (!done) {
        const bool is_for_want =
            texts.why.status != status::ok;  // of a secret; what the manifest misses then says less
        return hold(one, scaler, hindrance::refused, is_for_want ? texts.why.message : done.failure().message);
    }
    if (scaler.held_by == hindrance::refused) hold(one, scaler, hindrance::none, {});
}

// What the leader before this one, or this process before its restart, left in the status: a cooldown goes on from there, and so do
// the failures that a fallback waits for.
void attached_cluster::inherit(const cluster::scaled_object& object, entry& scaler) {
    const bool is_news = scaler.inherited_active_s == 0 || object.status.last_active_s > scaler.inherited_active_s;
    if (!is_news) return;
    constexpr std::int64_t ms_per_s = 1'000;
    scaler.inherited_active_s = std::max<std::int64_t>(object.status.last_active_s, 1);
    decide::former_state former;
    if (object.status.last_active_s != 0) former.last_active_ms = object.status.last_active_s * ms_per_s;
    for (const auto& [metric, health] : object.status.health) {
        former.health.push_back({metric, health.failures, health.is_failing});
    }
    static_cast<void>(fleet_.take_over(scaler.id, former));
}

void attached_cluster::locate(const key& one, entry& into) {
    finder_->find(into.target.api_version, into.target.kind,
                  [self = weak_from_this(), one](const result<cluster::resource>& found) {
                      const auto here = self.lock();
                      if (!here || here->is_ending_) return;
                      const auto at = here->entries_.find(one);
                      if (at == here->entries_.end()) return;
                      entry& its = at->second;
                      if (!found) return here->hold(one, its, hindrance::unknown, found.failure().message);
                      if (its.held_by == hindrance::unknown) here->hold(one, its, hindrance::none, {});
                      its.where = *found;
                      here->by_target_[{found->text(), here->target_of(one, its)}].insert(one);
                      here->watch_targets(*found, one.name_space);
                      here->observe(one, its);
                  });
}

void attached_cluster::unlink(const key& one, entry& scaler) {
    if (!scaler.where) return;
    const auto scaled = by_target_.find({scaler.where->text(), target_of(one, scaler)});
    if (scaled != by_target_.end()) scaled->second.erase(one);
    if (scaled != by_target_.end() && scaled->second.empty()) by_target_.erase(scaled);
    scaler.where.reset();
}

void attached_cluster::drop(const key& one) {
    news_.erase(one);
    const auto at = entries_.find(one);
    if (at == entries_.end()) return;
    entry& gone = at->second;
    if (gone.under_way) gone.under_way->cancel();
    if (gone.status_under_way) gone.status_under_way->cancel();
    if (gone.id != 0) note_membership(one, gone, false);
    unlink(one, gone);
    if (gone.id != 0) {
        static_cast<void>(fleet_.remove(gone.id));  // not there: the host was faster
        by_id_.erase(gone.id);
    }
    entries_.erase(at);
}

void attached_cluster::hold(const key& one, entry& scaler, hindrance hindrance, std::string why) {
    if (scaler.held_by == hindrance && scaler.why == why) return;
    scaler.held_by = hindrance;
    scaler.why = std::move(why);
    note_hindrance(one, scaler);
}

void attached_cluster::watch_targets(const cluster::resource& of, const std::string& name_space) {
    auto& its = targets_[of.text()];
    if (!its) {
        its = std::make_unique<collection<cluster::target_size>>(
            &cluster::read_target_size,
            [this, resource = of.text()](const key& target) { target_changed(resource, target); });
    }
    const std::string space = settings_.namespaces.empty() ? std::string() : name_space;
    its->watch(api_, of.collection(space), space);
}

void attached_cluster::target_changed(const std::string& resource, const key& target) {
    const auto scaled = by_target_.find({resource, target});
    if (scaled == by_target_.end()) return;
    for (const key& one : scaled->second) observe(one, entries_.at(one));
}

// What was seen of it, as far as that is known: not listed yet is not the same as not there.
void attached_cluster::observe(const key& one, entry& scaler) {
    if (scaler.id == 0 || !scaler.where) return;
    const auto& sizes = *targets_.at(scaler.where->text());
    const cluster::target_size* size = sizes.find(target_of(one, scaler));
    if (size != nullptr && !scaler.where->has_usual_size) return read_scale(one, scaler);
    if (size != nullptr) return observe_size(one, scaler, *size);
    if (!sizes.is_known(one.name_space)) return;
    hold(one, scaler, hindrance::no_target, scaler.where->text() + " " + scaler.target.name + " is not there");
    decide::observation seen;
    seen.now_ms = loop_->wall_ms();
    seen.scale_readable = false;
    static_cast<void>(fleet_.observe(scaler.id, seen));
}

void attached_cluster::observe_size(const key& one, entry& scaler, const cluster::target_size& size) {
    if (cluster::is_older(size.resource_version, scaler.own_version)) return;  // from before our write
    if (scaler.held_by == hindrance::no_target) hold(one, scaler, hindrance::none, {});
    note_foreign(one, scaler, size.spec);
    decide::observation seen;
    seen.now_ms = loop_->wall_ms();
    seen.spec_replicas = size.spec;
    seen.status_replicas = size.status;
    seen.ready_replicas = size.ready;
    static_cast<void>(fleet_.observe(scaler.id, seen));
}

// A custom resource keeps its size where its definition says, which its scale alone knows.
void attached_cluster::read_scale(const key& one, entry& scaler) {
    if (std::exchange(scaler.is_reading_scale, true)) return;
    cluster::api_request request;
    request.target = scaler.where->scale(target_of(one, scaler), "get");
    api_->send(request, [self = weak_from_this(), one, target = request.target](const cluster::reply& reply) {
        const auto here = self.lock();
        if (!here || here->is_ending_) return;
        const auto at = here->entries_.find(one);
        if (at == here->entries_.end()) return;
        at->second.is_reading_scale = false;
        const auto scale = source::kubernetes::read_scale(reply.answer, target);
        if (!scale) return here->hold(one, at->second, hindrance::unseen, scale.failure().message);
        if (at->second.held_by == hindrance::unseen) here->hold(one, at->second, hindrance::none, {});
        cluster::target_size size;
        size.uid = scale->uid;
        size.resource_version = scale->resource_version;
        size.spec = scale->spec_replicas;
        size.status = scale->status_replicas;
        here->observe_size(one, at->second, size);
    });
}

// Who scales it beside us is not always to be seen; that he does, is.
void attached_cluster::note_foreign(const key& one, entry& scaler, std::int32_t size) {
    const bool is_change = scaler.seen_size && *scaler.seen_size != size && scaler.own_size != size;
    scaler.seen_size = size;
    if (settings_.shadow || !leads_->leads(one)) return scaler.foreign_ms.clear();
    const std::int64_t now_ms = loop_->steady_ms();
    std::erase_if(scaler.foreign_ms, [&](std::int64_t at) { return now_ms - at > contested_within_ms; });
    if (is_change) scaler.foreign_ms.push_back(now_ms);
}

}  // namespace gputide::runtime
