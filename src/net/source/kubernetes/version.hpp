// Which version of the custom metrics API a server has: asked for once in a while, then known.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace gputide::source::kubernetes {

inline constexpr std::string_view oldest_custom_version = "v1beta1";

// The version to use of those in an answer to kube::group_versions(kube::custom_group): v1beta2 before v1beta1, as the HPA chooses
// (kubernetes/metrics pkg/client/custom_metrics/discovery.go).  Who may not look gets v1beta1, which every adapter has.
result<std::string> read_custom_version(const http::answer& answer);

// Shared by the fetches of one source; safe from any thread.
class custom_version {
  public:
    explicit custom_version(std::string fixed) : fixed_(!fixed.empty()), now_(std::move(fixed)) {}

    std::string now() const;
    bool due(std::int64_t steady_ms) const;
    result<void> learn(const http::answer& answer, std::int64_t steady_ms);

  private:
    const bool fixed_;
    mutable std::mutex guard_;
    std::string now_;  // "": not known yet
    std::int64_t known_until_ms_ = 0;
};

}  // namespace gputide::source::kubernetes
