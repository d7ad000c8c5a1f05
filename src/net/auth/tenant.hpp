// Permissions of manifests that come from a cluster.  A tenant is anyone who may create ScaledObjects in a namespace.  The host
// program trusts tenants less than its own files, and grants capabilities per namespace.  The table of capabilities is complete:
// settings, messages, docs/security.md and the tests use it.
#pragma once

#include "base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

enum class capability : std::int32_t {
    secrets_dir = 0,
    programs = 1,
    environment = 2,
    foreign_metrics = 3,
    loopback_tokens = 4,
    kubelet = 5,
};
inline constexpr std::size_t capability_count = 6;

struct capability_row {
    std::string_view name;     // member of the setting `tenants`, and of --allow-tenant NAME=NAMESPACE
    std::string_view refused;  // the message after its subject: "is not read for ..."
    std::string_view docs;     // the effect of granting it
    std::string_view in_keda;
    std::string_view test;  // test of refusal and grant
};
std::span<const capability_row, capability_count> capabilities();

// The host program's grants to tenants.
struct tenant_grants {
    std::array<std::vector<std::string>, capability_count> namespaces;  // "*": all namespaces
    // Hosts that may receive the secrets of a ClusterTriggerAuthentication.
    bool limits_cluster_secrets = false;            // false: to any host, as in KEDA
    std::vector<std::string> cluster_secret_hosts;  // else only to these, by exact name
};

class tenant {
  public:
    tenant() = default;  // not a tenant: the host program's own manifests, which are not restricted
    tenant(std::shared_ptr<const tenant_grants> grants, std::string name_space);

    tenant in(std::string name_space) const { return {grants_, std::move(name_space)}; }

    bool is_limited() const { return grants_ != nullptr; }
    const std::string& name_space() const { return name_space_; }
    bool may(capability which) const;

    // Returns success, or an error of class config with the flag that grants it.  subject: the refused thing, such as
    // "the file x".
    result<void> check(capability which, const std::string& subject) const;
    // Returns the same for the destination host of a ClusterTriggerAuthentication's secret.
    result<void> check_cluster_secret(std::string_view host) const;

  private:
    std::shared_ptr<const tenant_grants> grants_;
    std::string name_space_;
};

}  // namespace gputide::auth
