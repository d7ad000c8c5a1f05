// The number of nodes that a scale-up may add.  0: no limit; negative: none.  kubernetes/autoscaler estimator/.
#pragma once

#include <cstdint>
#include <span>

namespace gputide::nodes {

inline constexpr std::int64_t nothing_may_be_added = -1;

// Combines a limit with another:
//   base < 0 or target < 0                           → -1
//   (base = 0 or base > target) and target > 0       → target
//   else                                             → base
std::int64_t combine_limits(std::int64_t base, std::int64_t target);

// Combines all limits, starting from 0.
std::int64_t combine_limits(std::span<const std::int64_t> thresholds);

struct pool_size {
    std::int64_t size = 0;
    std::int64_t max = 0;
};

// Returns the remaining capacity of a pool and similar ones: the sum of max(0, max − size); -1 if there is none.
std::int64_t pool_room(const pool_size& own, std::span<const pool_size> similar);

// Returns the limit under max-nodes-total (0: none): max < 0 or max ≤ current → -1, else max − current.
std::int64_t cluster_room(std::int64_t max_nodes_total, std::int64_t current);

// Grants nodes one by one.
class node_limiter {
  public:
    explicit node_limiter(std::int64_t limit) : limit_(limit) {}
    bool may_add();             // counts the node if it is granted
    std::int64_t left() const;  // number of further nodes

  private:
    std::int64_t limit_;
    std::int64_t added_ = 0;
};

}  // namespace gputide::nodes
