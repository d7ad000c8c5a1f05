#include "kubernetes/controller/controller.hpp"

#include "base/format_text.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/controller/job_scaler.hpp"
#include "kubernetes/controller/object_scaler.hpp"
#include "kubernetes/controller/reconciler.hpp"
#include "runtime/log.hpp"
#include "source/access/access.hpp"

#include <array>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t tick_ms = 1'000;
constexpr std::int64_t versions_for_ms = 600'000;  // a cluster can be upgraded while this process runs
// A new API server may refuse /version for a moment.  Until the version is found, the rules of the newest release apply.
constexpr std::int64_t search_again_ms = 60'000;

// Returns for example "gputide-7d9f_274877906944": the host name, which is the pod's name, and a random number.
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

lease_settings lease_of(const settings& settings) {
    lease_settings lease;
    lease.name_space = settings.lease_namespace;
    lease.name = settings.lease_name;
    lease.identity = settings.identity;
    lease.duration_ms = settings.lease_duration_ms;
    lease.shards = settings.shards;
    return lease;
}

// Keeps the earlier version if the new search did not find one.
void keep_found(found_version& now, const found_version& before) {
    if (!now.minor && before.minor) now = before;
}

void write_watch(json_writer& writer, const watcher& watcher, const watched_objects& objects, std::int64_t now_ms) {
    const watch_health& health = watcher.health();
    writer.begin_object().member("resource", watcher.collection().resource).member("path", watcher.collection().path);
    writer.member("known", health.is_known).member("missing", health.is_missing).member("objects", objects.size());
    writer.member("heard_ms_ago", health.heard_ms == 0 ? std::int64_t{-1} : now_ms - health.heard_ms);
    writer.member("lists", health.lists).member("watches", health.watches).member("events", health.events);
    writer.member("deaths", health.deaths).member("message", health.why.message);
    objects.describe(writer);
    writer.end_object();
}

// Runs on the thread that drives the loop, except functions with another comment.
class cluster_controller final : public runtime::controller, public std::enable_shared_from_this<cluster_controller> {
  public:
    cluster_controller(runtime::scaler_host& scalers, const std::shared_ptr<http::loop>& loop, kube::access access,
                       settings settings, const pipeline::host_options& host)
        : with_{scalers, loop, std::make_shared<api>(loop, std::move(access)), std::move(settings)},
          objects_(with_),
          jobs_(with_) {
        with_.host = for_tenants(host, with_.settings);
        with_.finder = std::make_shared<resource_finder>(with_.api);
        with_.events = std::make_shared<event_sender>(with_.api, with_.settings.identity);
        with_.led.resize(static_cast<std::size_t>(with_.settings.shards), false);
        with_.texts = std::make_unique<text_store>(
            with_.api, with_.settings.cluster_secrets_namespace, with_.settings.tokens,
            [this] {
                objects_.add_all();
                jobs_.add_all();
            },
            [this](const manifest::object_identity& user) {
                const bool is_job = user.kind == manifest::document_kind::scaled_job;
                (is_job ? static_cast<reconciler&>(jobs_) : objects_).add({user.name_space, user.name});
            });
        if (!with_.settings.shadow) {
            with_.leads =
                std::make_unique<shard_leads>(with_.api, lease_of(with_.settings), [this] { leadership_changed(); });
        }
    }

    void start() override {  // any thread
        with_.loop->after(0, while_alive(*this, [](cluster_controller& here) { here.begin(); }));
    }

    void end(std::function<void()> done) override {  // any thread
        with_.loop->after(0, [self = shared_from_this(), done = std::move(done)] { self->end_now(done); });
    }

    std::string describe() const override {  // any thread
        const std::lock_guard hold(lock_);
        return described_.empty() ? "{}" : described_;
    }

  private:
    void begin() {
        if (with_.is_ending) return;
        objects_.begin();
        with_.texts->begin(with_.watched_namespaces());
        jobs_.begin();
        if (with_.leads) with_.leads->start();
        tick();
    }

    void end_now(const std::function<void()>& done) {
        with_.is_ending = true;
        with_.loop->cancel(std::exchange(tick_, 0));  // before the calls below, which may fail for lack of memory
        jobs_.end();
        objects_.end();
        with_.events->end();
        with_.texts->stop();
        version_answer_.cancel();
        with_.api->drop_waiting();
        with_.leads ? with_.leads->release(done) : done();
    }

    // Runs every second: retries what failed, and finds expired Leases and changed Secrets.
    void tick() {
        tick_ = with_.loop->after(tick_ms, while_alive(*this, [](cluster_controller& here) { here.tick(); }));
        if (with_.leads) leadership_changed();  // an expired Lease causes no callback
        search_versions();
        with_.texts->look_again();
        jobs_.tick();
        objects_.tick_shared();
        with_.events->tick();
        objects_.tick();
        std::string text = description();
        const std::lock_guard hold(lock_);
        described_ = std::move(text);
    }

    // Records which shards this process leads, and reconciles after a change.  The next decisions will want the same sizes again.
    void leadership_changed() {
        bool is_any = false;
        for (std::size_t shard = 0; shard < with_.led.size(); ++shard) {
            const bool leads = with_.leads->leads(static_cast<std::int32_t>(shard));
            if (with_.led[shard] == leads) continue;
            with_.led[shard] = leads;
            is_any = true;
            note_leadership(static_cast<std::int32_t>(shard), leads);
        }
        if (is_any && with_.settings.shards > 1) objects_.add_all();
        if (is_any) jobs_.leadership_changed();
    }

    void note_leadership(std::int32_t shard, bool leads) const {
        const object_key lease{with_.settings.lease_namespace, lease_name(with_.settings.lease_name, shard)};
        json_writer out;
        out.begin_object().member("event", "lead").member("namespace", lease.name_space).member("name", lease.name);
        out.member("shard", shard).member("leads", leads).member("identity", with_.settings.identity);
        with_.scalers.queue_note(0, lease.text(), out.end_object().take());
    }

    // ---- the releases of Kubernetes and KEDA, which select the rules for manifests without a release

    // Sends the next request of a search that is due or in progress.  Also sends it again if the last response was lost.
    void search_versions() {
        const std::int64_t now_ms = with_.now_ms();
        if (with_.is_ending || version_answer_.is_under_way(now_ms)) return;
        if (!search_) {
            if (now_ms < versions_due_ms_) return;
            search_.emplace(with_.settings);
        }
        const std::optional<api_request> request = search_->next();
        if (!request) return take_versions();
        version_answer_.begin(with_.api->send(
            *request,
            while_alive(*this, [](cluster_controller& here, const reply& reply) { here.version_answer_came(reply); })));
    }

    void version_answer_came(const reply& reply) {
        version_answer_.end();
        if (!search_) return;
        search_->take(reply);
        search_versions();
    }

    void take_versions() {
        found_versions found = search_->found();
        if (with_.versions) {
            keep_found(found.kubernetes, with_.versions->kubernetes);
            keep_found(found.keda, with_.versions->keda);
        }
        const bool is_news = !with_.versions || found.versions() != with_.versions->versions();
        with_.host.versions = versions_for(with_.settings, found);
        if (with_.settings.shadow) with_.host.compared_versions = found.versions();
        with_.versions = std::move(found);
        versions_due_ms_ = with_.now_ms() + (with_.versions->kubernetes.minor ? versions_for_ms : search_again_ms);
        search_.reset();
        if (!is_news) return;
        for (const manifest::original which : {manifest::original::kubernetes, manifest::original::keda}) {
            runtime::log(with_.versions->of(which).is_unknown ? runtime::log_level::warning : runtime::log_level::info,
                         "cluster: " + describe_version(which, with_.settings, *with_.versions));
        }
        objects_.read_manifests_again();
        jobs_.read_manifests_again();
    }

    // ---- description for the host

    void describe_leases(json_writer& out) const {
        out.key("leases").begin_array();
        for (std::size_t shard = 0; with_.leads && shard < with_.leads->electors().size(); ++shard) {
            const elector& elector = *with_.leads->electors()[shard];
            out.begin_object().member("name", elector.plan().settings().name);
            out.member("namespace", with_.settings.lease_namespace).member("leads", elector.leads());
            out.member("holder", elector.plan().record().holder).member("agrees", elector.agrees());
            out.member("message", elector.why().message).end_object();
        }
        out.end_array();
    }

    void describe_watches(json_writer& out) const {
        out.key("watches").begin_array();
        const auto each = [&, now_ms = with_.now_ms()](const watcher& watcher, const watched_objects& objects) {
            write_watch(out, watcher, objects, now_ms);
        };
        objects_.objects().each_watch(each);
        with_.texts->each_watch(each);
        objects_.each_watch(each);
        jobs_.objects().each_watch(each);
        jobs_.each_watch(each);
        out.end_array();
    }

    std::string description() const {
        const settings& settings = with_.settings;
        json_writer out;
        out.begin_object().member("server", with_.api->at().server).member("shadow", settings.shadow);
        out.key("versions");
        write_versions(out, settings, with_.versions.value_or(found_versions{}));
        out.member("owner", settings.owner).member("identity", settings.identity).member("shards", settings.shards);
        describe_leases(out);
        describe_watches(out);
        objects_.describe_writes(out);
        objects_.describe_capacity(out);
        objects_.describe_statuses(out);
        const event_sender::counts& events = with_.events->counted();
        out.member("event_writes", events.sent).member("event_failures", events.failures);
        out.member("event_message", events.message);
        std::size_t scalers = 0, differing = 0;
        objects_.each<object_scaler>([&](const object_scaler& scaler) {
            scalers += scaler.id() != 0 ? 1U : 0U;
            differing += scaler.is_different() ? 1U : 0U;
        });
        out.member("scalers", scalers).member("differing", differing);
        objects_.describe_blocks(out);
        jobs_.describe(out);
        return out.end_object().take();
    }

    controller_context with_;
    object_reconciler objects_;
    job_reconciler jobs_;
    http::ticket tick_ = 0;

    std::optional<version_search> search_;  // in progress
    awaited version_answer_;
    std::int64_t versions_due_ms_ = 0;  // steady clock: time of the next search

    mutable std::mutex lock_;  // guards described_
    std::string described_;
};

}  // namespace

result<std::shared_ptr<runtime::controller>> open_controller(const runtime::controller_services& services,
                                                             settings settings, const pipeline::host_options& host) {
    source::services sources = services.sources;
    sources.permissions = host.permissions;
    sources.cluster = host.cluster;
    result<kube::access> at = source::access::open_api_server(sources);
    if (!at) return at.take_failure();
    if (settings.lease_namespace.empty()) settings.lease_namespace = at->name_space;
    if (settings.identity.empty()) settings.identity = instance_name(*services.client);
    return make_controller(services.scalers, services.client, *std::move(at), std::move(settings), host);
}

std::shared_ptr<runtime::controller> make_controller(runtime::scaler_host& scalers, std::shared_ptr<http::loop> loop,
                                                     kube::access access, settings settings,
                                                     const pipeline::host_options& host) {
    return std::make_shared<cluster_controller>(scalers, loop, std::move(access), std::move(settings), host);
}

}  // namespace gputide::kubernetes
