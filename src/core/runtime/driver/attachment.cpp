// A cluster is opened, attached and let go.
#include "runtime/driver/attachment.hpp"

#include "base/format_text.hpp"
#include "runtime/cluster/attached.hpp"
#include "runtime/driver/timeout.hpp"
#include "source/access/api_server.hpp"

#include <array>
#include <atomic>
#include <new>
#include <unistd.h>
#include <utility>

namespace gputide::runtime {
namespace {

// "gputide-7d9f_3fa1c0": the machine's name, which is the pod's, and a number of this runtime's own.
std::string instance_name(http::loop& random) {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    const auto number = static_cast<std::uint64_t>(random.uniform() * 0x1.0p+48);
    return format_text("{}_{}", host.data(), number);
}

}  // namespace

attachment::attachment(fleet& fleet, std::shared_ptr<http::client> client, source::services services,
                       bool is_observed_by_host)
    : fleet_(fleet),
      client_(std::move(client)),
      services_(std::move(services)),
      is_observed_by_host_(is_observed_by_host) {}

attachment::~attachment() = default;

result<void> attachment::attach(cluster::settings settings, const pipeline::host_options& host) {
    if (is_observed_by_host_) {
        return fail(status::state,
                    "the runtime asks its host before each poll (GPUTIDE_RUNTIME_OBSERVE_FIRST): a cluster that "
                    "observes by itself cannot be attached to it");
    }
    source::services services = services_;
    services.permissions = host.permissions;
    services.cluster = host.cluster;
    result<kube::access> at = source::access::open_api_server(services);
    if (!at) return std::move(at).failure();
    if (settings.lease_namespace.empty()) settings.lease_namespace = at->name_space;
    if (settings.identity.empty()) settings.identity = instance_name(*client_);
    const std::lock_guard hold(lock_);
    if (cluster_) return fail(status::state, "a cluster is attached already; detach it first");
    cluster_ = std::make_shared<attached_cluster>(fleet_, client_, *std::move(at), std::move(settings), host);
    try {
        cluster_->start();  // last: from here on decided() may be called
    } catch (const std::bad_alloc&) {
        cluster_.reset();
        throw;
    }
    return {};
}

// Begins the end once: a second one would cut off the requests of the first, and its Leases would stay held.
attachment::flag attachment::end_cluster() {
    const std::lock_guard hold(lock_);
    if (!cluster_ || ended_) return ended_;
    auto ended = std::make_shared<std::atomic<bool>>(false);
    cluster_->end([ended] { *ended = true; });
    return ended_ = std::move(ended);
}

// The callback that ended it may still be inside of it, on the thread that drives.
void attachment::forget_cluster(const flag& ended) {
    client_->run_between([&] {
        const std::lock_guard hold(lock_);
        if (ended_ != ended) return;  // another detach() was faster
        cluster_.reset();
        ended_.reset();
    });
}

result<void> attachment::detach(std::int64_t timeout_ms, const std::function<bool()>& give_up) {
    const flag ended = end_cluster();
    if (!ended) return {};
    try {
        client_->drive([&] { return ended->load() || give_up(); }, end_ms_of(client_->steady_ms(), timeout_ms));
    } catch (const std::bad_alloc&) {  // perhaps in what was to end it: the next detach() begins anew
        const std::lock_guard hold(lock_);
        if (ended_ == ended) ended_.reset();
        throw;
    }
    if (!*ended) return fail(status::timeout, "the cluster's Leases are not given back yet; detach again");
    forget_cluster(ended);
    return {};
}

result<std::string> attachment::describe() const {
    const std::lock_guard hold(lock_);
    if (!cluster_) return fail(status::state, "no cluster is attached to this runtime");
    return cluster_->describe();
}

void attachment::decided(scaler_id id, const scaler& made) { cluster_->decided(id, made); }

}  // namespace gputide::runtime
