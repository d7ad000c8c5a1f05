#include "auth/tenant.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::array<capability_row, capability_count> rows{{
    {"secrets_dir", "is not read",
     "read the host's files: `DIR/<namespace>/<name>/<key>` of `--secrets-dir DIR` for a Secret or ConfigMap that is "
     "not there, "
     "and `bearer-file` below `DIR/<namespace>`; no link leads out of it",
     "no key of a Secret falls back to a file", "test_secrets_dir"},
    {"programs", "is not run",
     "run the programs of `--allow-program` by `bearer-exec`, `azure-cli` and `azure-default`", "runs no program",
     "test_programs"},
    {"environment", "is not read", "read the variables of `--allow-env` by `${NAME}`, `env` and `…FromEnv`",
     "reads those of the target's container, never the operator's", "test_environment"},
    {"foreign_metrics", "is not read",
     "read the metrics of another namespace, or of objects of the cluster, by a `kubernetes` trigger, or of processes "
     "by an "
     "`nvml` trigger",
     "`kubernetes-workload` and the HPA read only the namespace of the ScaledObject", "test_foreign_metrics"},
    {"loopback_tokens", "is not sent",
     "have a token of the host's identity, or the client secret of `oauth`, sent to loopback",
     "sends both to any address, loopback included", "test_loopback_tokens"},
    {"kubelet", "is not queried",
     "choose GPUs by `pods` in an `nvml` trigger: the kubelet shows which pods of any namespace use the node's GPUs",
     "has no such trigger", "test_kubelet"},
}};

}  // namespace

std::span<const capability_row, capability_count> capabilities() { return rows; }

tenant::tenant(std::shared_ptr<const tenant_grants> grants, std::string name_space)
    : grants_(std::move(grants)), name_space_(std::move(name_space)) {}

bool tenant::may(capability which) const {
    if (!is_limited()) return true;
    const std::vector<std::string>& namespaces = grants_->namespaces[static_cast<std::size_t>(which)];
    return std::ranges::any_of(namespaces,
                               [this](const std::string& entry) { return entry == name_space_ || entry == "*"; });
}

result<void> tenant::check(capability which, const std::string& subject) const {
    if (may(which)) return {};
    const capability_row& row = rows[static_cast<std::size_t>(which)];
    return fail(error_class::config,
                format_text("{} {} for manifests of the cluster in namespace {}; to allow it, start gputided with "
                            "--allow-tenant {}={} (setting tenants.{})",
                            subject, row.refused, name_space_, row.name, name_space_, row.name));
}

result<void> tenant::check_cluster_secret(std::string_view host) const {
    if (!is_limited() || !grants_->limits_cluster_secrets) return {};
    const auto same = [host](const std::string& entry) { return equal_ignoring_case(host, entry); };
    const auto& hosts = grants_->cluster_secret_hosts;
    if (std::ranges::any_of(hosts, same)) return {};
    return fail(error_class::config,
                "the secret of a ClusterTriggerAuthentication is not sent to host {}; to allow it, start "
                "gputided with --cluster-secret-host {} (setting cluster_secret_hosts)",
                host, host);
}

}  // namespace gputide::auth
