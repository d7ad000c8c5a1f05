// What manifests that come from a cluster may do.  A tenant writes them: anyone who may create ScaledObjects in a namespace.  The
// host program trusts a tenant less than the files that it was given, and gives capabilities back by namespace.
// In: what the host program gives, and a namespace.  Out: whether a capability is given, and the refusal where it is not.
// The table of capabilities is the whole list: settings, messages, docs/security.md and the tests read it.
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
};
inline constexpr std::size_t capability_count = 5;

struct capability_row {
    std::string_view name;     // member of the setting `tenants`, and of --allow-tenant NAME=NAMESPACE
    std::string_view refused;  // the message without its subject: "is not read for ..."
    std::string_view docs;     // what a tenant may do where it is given
    std::string_view in_keda;
    std::string_view test;  // that holds the refusal and what gives it back
};
std::span<const capability_row, capability_count> capabilities();

// What the host program gives to tenants.
struct tenant_grants {
    std::array<std::vector<std::string>, capability_count> namespaces;  // "*": all of them
    // Where the secrets of a ClusterTriggerAuthentication may be sent.
    bool limits_cluster_secrets = false;            // false: to any host, as in KEDA
    std::vector<std::string> cluster_secret_hosts;  // else to these alone, by exact name
};

class tenant {
  public:
    tenant() = default;  // not a tenant: the host program's own manifests, which may do everything
    tenant(std::shared_ptr<const tenant_grants> grants, std::string name_space);

    tenant in(std::string name_space) const { return {grants_, std::move(name_space)}; }

    bool is_limited() const { return grants_ != nullptr; }
    const std::string& name_space() const { return name_space_; }
    bool may(capability which) const;

    // Success, or the error of class config with the flag that gives it.  subject: what is refused, such as "the file x".
    result<void> check(capability which, const std::string& subject) const;
    // The same for the host that a ClusterTriggerAuthentication's secret is sent to.
    result<void> check_cluster_secret(std::string_view host) const;

  private:
    std::shared_ptr<const tenant_grants> grants_;
    std::string name_space_;
};

}  // namespace gputide::auth
