// How scalers of a cluster come, change and go.
#include "base/format_text.hpp"
#include "kubernetes/controller/attached.hpp"
#include "source/access/api_server.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>

namespace gputide::kubernetes {
namespace {

// As long as `gputided release` waits for it: KEDA's operator makes its HPA within seconds, a restarted one within its lease.
constexpr std::int64_t hpa_within_ms = 60'000;
constexpr std::int64_t finalizer_within_ms = 10'000;  // of a new ScaledObject, where KEDA looks after others

// "gputide-7d9f_3fa1c0": the machine's name, which is the pod's, and a number of this runtime's own.
std::string instance_name(http::loop& random) {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    const auto number = static_cast<std::uint64_t>(random.uniform() * 0x1.0p+48);
    return format_text("{}_{}", host.data(), number);
}

pipeline::host_options for_tenants(pipeline::host_options host, const settings& settings) {
    host.cluster_secrets_namespace = settings.cluster_secrets_namespace;
    host.permissions.tenant = auth::tenant(std::make_shared<const auth::tenant_grants>(settings.tenants), {});
    return host;
}

}  // namespace

attached_cluster::attached_cluster(runtime::scaler_host& scalers, std::shared_ptr<http::loop> loop, kube::access access,
                                   settings settings, pipeline::host_options host)
    : fleet_(scalers),
      loop_(std::move(loop)),
      api_(std::make_shared<api>(loop_, std::move(access))),
      settings_(std::move(settings)),
      host_(for_tenants(std::move(host), settings_)),
      finder_(std::make_shared<resource_finder>(api_)),
      events_(std::make_shared<event_sender>(api_, settings_.identity)),
      led_(static_cast<std::size_t>(settings_.shards), false) {
    changed_ = std::make_shared<marked_objects>(
        loop_, [this](std::set<key>& names) { add_all(names); }, [this](const key& name) { refresh(name); });
    texts_ = std::make_unique<text_store>(
        api_, settings_.cluster_secrets_namespace,
        [this] {
            changed_->mark_all();
            jobs_->mark_all();
        },
        [this](const config::object_identity& user) {
            const key name{user.name_space, user.name};
            user.kind == config::document_kind::scaled_job ? jobs_->mark(name) : changed_->mark(name);
        });
    scalers_ = std::make_unique<collection<scaled_object>>(
        [us = settings_.owner](simdjson::dom::object one) { return read_scaled_object(one, us); },
        [this](const key& name) {
            if (scalers_->is_known(name.name_space)) news_.insert(name);
            changed_->mark(name);
        });
    rivals_ = std::make_unique<collection<autoscaler>>(&read_autoscaler, [](const key&) {});
    if (!settings_.shadow) leads_ = std::make_unique<shard_leads>(api_, lease(), [this] { lead_changed(); });
    if (leads_) {
        restorer_ = std::make_shared<restorer>(
            restorer_surroundings{loop_, api_, finder_, settings_, *scalers_, *rivals_, *leads_,
                                  [this](const key& name, bool is_warning, std::string reason, std::string message) {
                                      announce(name, is_warning, std::move(reason), std::move(message));
                                  },
                                  [this](const written& written) { count(written); }});
    }
    jobs_ = std::make_shared<attached_jobs>(
        jobs_surroundings{fleet_, loop_, api_, settings_, host_, [this] { return are_versions_known(); }, *texts_,
                          leads_.get(), [this](const object_event& event) { return announce(event); }});
}

result<std::shared_ptr<runtime::controller>> open_controller(const runtime::controller_services& services,
                                                             settings settings, const pipeline::host_options& host) {
    source::services sources = services.sources;
    sources.permissions = host.permissions;
    sources.cluster = host.cluster;
    result<kube::access> at = source::access::open_api_server(sources);
    if (!at) return std::move(at).failure();
    if (settings.lease_namespace.empty()) settings.lease_namespace = at->name_space;
    if (settings.identity.empty()) settings.identity = instance_name(*services.client);
    return std::shared_ptr<runtime::controller>(std::make_shared<attached_cluster>(
        services.scalers, services.client, *std::move(at), std::move(settings), host));
}

lease_settings attached_cluster::lease() const {
    lease_settings lease;
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
        scalers_->watch(api_, kedas("scaledobjects").collection(space, settings_.selector), space);
        texts_->authentications().watch(api_, kedas("triggerauthentications").collection(space), space);
        // Of what is read here v2beta2 has the same shape; Kubernetes 1.23 brought v2 (k8s.io/api autoscaling/v2).
        rivals_->watch(api_, known_resource("autoscaling", "v2", "horizontalpodautoscalers").collection(space), space,
                       "v2beta2");
    }
    texts_->cluster_authentications().watch(api_, kedas("clustertriggerauthentications").collection({}), "");
}

void attached_cluster::add_all(std::set<key>& names) const {
    scalers_->each([&](const key& name, const scaled_object&) { names.insert(name); });
    for (const auto& [name, known] : entries_) names.insert(name);
}

// With shards each instance polls what it leads alone; without, a standby decides along, so that its windows are full when it
// takes over.  By what lead_changed() saw last, which marks all of them when that changes: a lead that flickers meanwhile loses
// nobody.
bool attached_cluster::wants(const key& name) const {
    if (settings_.shards == 1 || !leads_) return true;
    return led_[static_cast<std::size_t>(shard_of(name, settings_.shards))];
}

void attached_cluster::refresh(const key& name) {
    const scaled_object* object = scalers_->find(name);
    if (restorer_) restorer_->changed(name);
    if (object == nullptr || object->facts.deleting || !wants(name)) return drop(name);
    take(name, *object, entries_[name]);
}

// Whose it is holds whatever becomes of its manifest.
void attached_cluster::take(const key& name, const scaled_object& object, entry& scaler) {
    scaler.manifest = manifest_hash(object);
    await_hpa(name, object, scaler);
    const std::string& us = settings_.owner;
    const bool shows = object.is_anothers(us)
                           ? scaler.held.set_claim(hindrance::not_owner, anothers_text(object.owner, us))
                           : scaler.held.set_claim(hindrance::none, {});
    take_manifest(name, object, scaler);
    if (shows) note_hindrance(name, scaler);
}

void attached_cluster::take_manifest(const key& name, const scaled_object& object, entry& scaler) {
    const scaler_texts texts = texts_->texts_of(object);
    if (!texts.is_complete || !are_versions_known()) return;  // it comes again
    const bool is_news = news_.erase(name) > 0;
    if (scaler.id == 0 || scaler.texts != hash_of(texts)) {
        load(name, texts, scaler);
        if (is_news && scaler.id != 0) static_cast<void>(fleet_.poll_soon(scaler.id));
    }
    if (scaler.id == 0) return;
    inherit(object, scaler);
    if (scaler.target != object.target || !scaler.where) {
        unlink(name, scaler);
        scaler.target = object.target;
        if (std::exchange(scaler.is_new, false)) note_membership(name, scaler, true);
        locate(name, scaler);
    }
}

// Its manifest leaves the owner's mark out.
std::size_t attached_cluster::manifest_hash(const scaled_object& object) {
    return std::hash<std::string>()(object.owner + '\n' + object.manifest);
}

// Whoever marks it as ours says that the others are done with it.  A KEDA that looks after it is about to make its HPA where it has
// just taken it, and where the mark goes, or the pause behind it; for a moment nothing else says so.  It is not known of one that is
// seen first how long KEDA has had it.
void attached_cluster::await_hpa(const key& name, const scaled_object& object, entry& scaler) const {
    const bool is_first = scaler.id == 0 && news_.count(name) != 0;
    const bool was_ours = std::exchange(scaler.is_marked_ours, object.owner == settings_.owner);
    const bool was_paused = std::exchange(scaler.is_paused, object.is_paused);
    const bool was_kedas = std::exchange(scaler.is_kedas, object.is_kedas);
    if (scaler.is_marked_ours) {
        scaler.hpa_until_ms = 0;
        if (!was_ours) scaler.foreign_ms.clear();
        return;
    }
    const std::int64_t now_ms = loop_->steady_ms();
    const bool is_taken = object.is_kedas && !object.is_paused && (!was_kedas || was_paused);
    if (is_taken || (object.is_kedas && was_ours)) {
        scaler.hpa_until_ms = now_ms + hpa_within_ms;
    } else if (is_first && !object.is_kedas && scalers_->any([](const auto& each) { return each.is_kedas; })) {
        scaler.hpa_until_ms = now_ms + finalizer_within_ms;
    }
}

// A manifest with an error changes nothing of what was at work.
void attached_cluster::load(const key& name, const scaler_texts& texts, entry& scaler) {
    const std::size_t hash = hash_of(texts);
    scaler.inherited_active_s = 0;  // it may begin afresh
    pipeline::host_options host = pipeline::tenant_options(host_, name.name_space);
    host.scaler = name.text();
    result<config::spec> spec = texts.why;
    if (!texts.is_over_bound) spec = pipeline::load_spec(files_of(texts), host, nullptr);
    result<void> done;
    if (!spec) {
        done = std::move(spec).failure();
    } else if (scaler.id != 0) {
        done = fleet_.replace(scaler.id, *spec, host, std::nullopt);
    } else {
        result<runtime::scaler_id> added = fleet_.add(*spec, host, shared_from_this());
        if (added) {
            scaler.id = *added;
            scaler.is_new = true;
        } else {
            done = std::move(added).failure();
        }
    }
    if (scaler.id != 0) by_id_[scaler.id] = name;
    scaler.texts = hash;  // only now: what found no memory on the way is loaded again
    if (!done) {
        const bool is_for_want =
            texts.why.status != status::ok;  // of a secret; what the manifest misses then says less
        return hold(name, scaler, hindrance::refused, is_for_want ? texts.why.message : done.failure().message);
    }
    if (scaler.held.trouble() == hindrance::refused) hold(name, scaler, hindrance::none, {});
}

// What the leader before this one, or this process before its restart, left in the status: a cooldown goes on from there, and so do
// the failures that a fallback waits for.
void attached_cluster::inherit(const scaled_object& object, entry& scaler) {
    const bool is_news = scaler.inherited_active_s == 0 || object.status.last_active_s > scaler.inherited_active_s;
    if (!is_news) return;
    constexpr std::int64_t ms_per_s = 1'000;
    decide::former_state former;
    if (object.status.last_active_s != 0) former.last_active_ms = object.status.last_active_s * ms_per_s;
    for (const auto& [metric, health] : object.status.health) {
        former.health.push_back({metric, health.failures, health.is_failing});
    }
    static_cast<void>(fleet_.take_over(scaler.id, former));
    scaler.inherited_active_s = std::max<std::int64_t>(object.status.last_active_s, 1);
}

void attached_cluster::drop(const key& name) {
    news_.erase(name);
    texts_->forget({config::document_kind::scaled_object, name.name_space, name.name});
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    entry& gone = at->second;
    gone.write.cancel();
    gone.scale_read.cancel();
    gone.status_write.cancel();
    if (gone.id != 0) note_membership(name, gone, false);
    unlink(name, gone);
    if (gone.id != 0) {
        static_cast<void>(fleet_.remove(gone.id));  // not there: the host was faster
        by_id_.erase(gone.id);
    }
    entries_.erase(at);
}

void attached_cluster::hold(const key& name, entry& scaler, hindrance hindrance, std::string why) {
    if (scaler.held.set_trouble(hindrance, std::move(why))) note_hindrance(name, scaler);
}

}  // namespace gputide::kubernetes
