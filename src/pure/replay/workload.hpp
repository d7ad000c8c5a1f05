// The replayed workload: how many replicas serve and how many are starting.  Values in, values out; start-up delays are
// drawn from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gputide::replay {

// splitmix64 (Sebastiano Vigna, 2015, public domain): the same numbers on every machine, one integer of state.
class draws {
  public:
    explicit draws(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() noexcept;
    // Returns 0 .. count-1.  The bias of the modulo is below count / 2^64.
    std::uint64_t below(std::uint64_t count) noexcept { return count == 0 ? 0 : next() % count; }

  private:
    std::uint64_t state_;
};

class workload {
  public:
    // startup_ms: borrowed; each new replica draws one.  Empty: replicas serve at once.
    workload(std::span<const std::int64_t> startup_ms, std::uint64_t seed, std::int32_t replicas)
        : startup_ms_(startup_ms), draws_(seed), ready_(replicas) {}

    std::int32_t replicas() const noexcept { return ready_ + starting_; }
    // Returns the serving replicas at now_ms.  Time must not go back.
    std::int32_t ready(std::int64_t now_ms) noexcept;
    // Applies a write of the target's spec.replicas.  Scaling down removes replicas that are not ready first, the
    // slowest first (kubernetes/kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks: pods that are not
    // ready go first).
    void resize(std::int32_t to, std::int64_t now_ms);

  private:
    struct batch {
        std::int64_t ready_ms = 0;
        std::int32_t count = 0;
    };
    void start(std::int32_t count, std::int64_t now_ms);
    void stop(std::int32_t count);

    std::span<const std::int64_t> startup_ms_;
    draws draws_;
    std::vector<batch> waiting_;  // in order of ready_ms
    std::int32_t ready_ = 0;
    std::int32_t starting_ = 0;
};

}  // namespace gputide::replay
