// A cluster is opened, attached and let go.
#include "runtime/driver/attachment.hpp"

#include "base/format_text.hpp"
#include "runtime/cluster/attached.hpp"
#include "runtime/driver/timeout.hpp"
#include "source/access/api_server.hpp"

#include <array>
#include <atomic>
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
    const std::lock_guard hold(lock_);
    if (cluster_) return fail(status::state, "a cluster is attached already; detach it first");
    source::services services = services_;
    services.permissions = host.permissions;
    services.cluster = host.cluster;
    result<kube::access> at = source::access::open_api_server(services);
    if (!at) return std::move(at).failure();
    if (settings.lease_namespace.empty()) settings.lease_namespace = at->name_space;
    if (settings.identity.empty()) settings.identity = instance_name(*client_);
    cluster_ = std::make_shared<attached_cluster>(fleet_, client_, *std::move(at), std::move(settings), host);
    cluster_->start();
    return {};
}

result<void> attachment::detach(std::int64_t timeout_ms) {
    const std::lock_guard hold(lock_);
    if (!cluster_) return {};
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    cluster_->end([ended] { *ended = true; });
    const std::int64_t until_ms = end_ms_of(client_->steady_ms(), timeout_ms);
    if (!client_->drive([ended] { return ended->load(); }, until_ms)) {
        return fail(status::timeout, "the cluster's Leases are not given back yet; detach again");
    }
    cluster_.reset();
    return {};
}

result<std::string> attachment::describe() const {
    const std::lock_guard hold(lock_);
    if (!cluster_) return fail(status::state, "no cluster is attached to this runtime");
    return cluster_->describe();
}

void attachment::decided(scaler_id id, const decide::policy& policy, const decide::state& state,
                         const decide::decision& decision) {
    cluster_->decided(id, policy, state, decision);
}

}  // namespace gputide::runtime
