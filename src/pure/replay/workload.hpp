// The replayed workload: the number of serving and of starting replicas.  Start-up delays are drawn with a seed.
#pragma once

#include "base/sample.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "replay/settings.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::replay {

// splitmix64 (Sebastiano Vigna, 2015, public domain): equal numbers on every machine, one integer of state.
class draws {
  public:
    explicit draws(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() noexcept;
    // Returns a number from 0 to count-1.  The bias of the modulo is below count / 2^64.
    std::uint64_t below(std::uint64_t count) noexcept { return count == 0 ? 0 : next() % count; }

  private:
    std::uint64_t state_;
};

class workload {
  public:
    // startup_ms: borrowed; each new replica draws one of them.  Empty: replicas are ready immediately.
    workload(std::span<const std::int64_t> startup_ms, std::uint64_t seed, std::int32_t replicas)
        : startup_ms_(startup_ms), draws_(seed), ready_(replicas) {}

    std::int32_t replicas() const noexcept { return ready_ + starting_; }
    // Returns the number of serving replicas at now_ms.  Time must not go back.
    std::int32_t ready(std::int64_t now_ms) noexcept;
    // Applies a write of the target's spec.replicas.  Scaling down first removes replicas that are not ready, the slowest
    // first (kubernetes/kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks: pods that are not ready go
    // first).
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

// Per-pod metrics (Pods, Resource, ContainerResource) in a replay: a series has their mean, and each pod of the replayed
// workload gets it as its own value.

bool is_per_pod(const decide::metric_policy& metric) noexcept;
bool has_per_pod(const decide::policy& policy) noexcept;

// Tells whether a metric is a total with an AverageValue target, which is per replica.  A pod's value is already per replica.
bool is_shared_by_replicas(const decide::metric_policy& metric) noexcept;

struct pod_view {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;

    // Sets `ready` pods with all per-pod values of `metrics`, and `starting` pods that are not ready and have no values.  A
    // Utilization is reported as usage of a request of 100, which starting pods also have.
    void look(const decide::policy& policy, std::span<const sample> metrics, std::int32_t ready, std::int32_t starting,
              std::int64_t now_ms);
};

// The path of one metric from the workload to the scaler: the recorded value, the model applied to it, and the hops that
// delay it.  No clock: each call passes the time.

// The scaler's sample for a metric without a value, by the rules of its source (KEDA's ignoreNullValues makes it 0).
struct source_rules {
    sample when_empty;         // no value
    sample when_not_a_number;  // NaN or an infinity
};

// A metric at one time.
struct measured {
    sample_state state = sample_state::not_given;
    double value = 0.0;
    std::int64_t time_ms = 0;
    double load = 0.0;  // closed loop: the offered load in units of one replica's value; -1: unknown
};

struct metric_path {
    replay::signal signal = replay::signal::utilization;
    double saturation = 100.0;
    std::int64_t hold_ms = 0;
    measured recorded;  // as in the series
    measured exported;  // after the exporter's last collection
    measured scraped;   // after the last scrape

    // Stores the recorded value with the size at that time.
    void record(const sample& now, std::int64_t time_ms, std::int32_t recorded_replicas) noexcept;
    bool fresh(std::int64_t now_ms) const noexcept {
        return recorded.state != sample_state::not_given && now_ms - recorded.time_ms < hold_ms;
    }
    // Returns the value that an exporter of the replayed workload would report now.
    //   utilization  min(saturation, load / serving); no value without serving replicas
    //   queue        load / serving; without serving replicas the whole load is queued
    //   total        the recorded value
    // Example: 90 % on 4 replicas is a load of 360; on 3 serving replicas 120 → 100 %, on 6 it is 60 %.
    measured simulated(std::int32_t serving, std::int64_t now_ms) const noexcept;
};

}  // namespace gputide::replay
