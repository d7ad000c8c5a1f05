// How many nodes a scale-up may add.  0: no limit; negative: none at all.  kubernetes/autoscaler estimator/.
#pragma once

#include <cstdint>
#include <span>

namespace gputide::nodes {

inline constexpr std::int64_t nothing_may_be_added = -1;

//   base < 0 or target < 0                           → -1
//   (base = 0 or base > target) and target > 0       → target
//   else                                             → base
std::int64_t combine_limits(std::int64_t base, std::int64_t target);

// All of them, from 0 on.
std::int64_t combine_limits(std::span<const std::int64_t> thresholds);

struct pool_size {
    std::int64_t size = 0;
    std::int64_t max = 0;
};

// Free room of a pool and of those like it: the sum of max(0, max − size); none left is -1.
std::int64_t pool_room(const pool_size& own, std::span<const pool_size> similar);

// Under max-nodes-total (0: none): max < 0 or max ≤ current → -1, else max − current.
std::int64_t cluster_room(std::int64_t max_nodes_total, std::int64_t current);

// Gives leave for one node after the other.
class node_limiter {
  public:
    explicit node_limiter(std::int64_t limit) : limit_(limit) {}
    bool may_add();             // counts the node if it may
    std::int64_t left() const;  // nodes that it would still allow

  private:
    std::int64_t limit_;
    std::int64_t added_ = 0;
};

}  // namespace gputide::nodes
