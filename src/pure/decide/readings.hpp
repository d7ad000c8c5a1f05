// The two halves of a tick, and the readings of each: the samples of all metrics after the rules for age and missing data and
// after the fallback.  Failure counts in the state change only if the half counts.
#pragma once

#include "decide/decision.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/rules.hpp"
#include "decide/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace gputide::decide {

// Number of metrics that need no heap during a call.  The frame of a tick has a few KiB with it: -fstack-clash-protection probes
// each page.
inline constexpr std::size_t usual_metrics = 8;

// Memory for one value per metric or pod during one call: on the stack for usual counts, on the heap for more.  Elements are
// not initialized: each is written, in place by build(), before it is read.
template <class T, std::size_t Inline = usual_metrics>
class scratch {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    scratch() noexcept {}  // NOLINT(modernize-use-equals-default): a defaulted constructor would clear the memory
    explicit scratch(std::size_t size) { reset(size); }
    // Takes memory for `size` values, which are not initialized.
    void reset(std::size_t size) {
        if (size > Inline) heap_ = std::make_unique_for_overwrite<std::byte[]>(size * sizeof(T));
        first_ = std::launder(reinterpret_cast<T*>(size > Inline ? heap_.get() : inline_));
        size_ = size;
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    T& operator[](std::size_t at) { return first_[at]; }
    const T& operator[](std::size_t at) const { return first_[at]; }
    std::span<T> all() { return {first_, size_}; }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_ = 0;
    T* first_ = nullptr;
    std::unique_ptr<std::byte[]> heap_;
    alignas(T) std::byte inline_[Inline * sizeof(T)];
};

// Constructs target = make() in place.  Returning and copying a struct of small members would stall (store forwarding) on
// bytes that were just written one by one.
template <class T, class Make>
T& build(T& target, Make make) {
    static_assert(std::is_trivially_destructible_v<T>);
    return *::new (static_cast<void*>(&target)) T(make());
}

struct trace;

struct reading {
    ruled_sample ruled;
    bool from_cache = false;  // useCachedMetrics: the executor half's last read
    bool from_hpa = false;    // policy.takes_hpa_reads: the HPA half's last read
};

// The readings of one tick.  If both halves run, the second uses the reads of the first (see read_for_hpa). `read` and
// `passed` are separate because fallback, formula and activity need `passed` as a list.  All memory of a tick that depends on
// the number of metrics is here: it is taken before the state changes.
struct readings {
    explicit readings(const policy& policy)
        : read(policy.metrics.size()),
          passed(read.size()),
          proposals(proposal_count(policy) * (policy.forecast ? 2 : 1)) {}

    scratch<reading> read;
    scratch<passed_metric> passed;
    scratch<proposal, 2 * usual_metrics> proposals;  // of the HPA half, then those of the forecast's shadow
    composite modifiers;                             // if the policy has a formula
    bool filled = false;
    bool counted = false;     // the failures of this tick's reads are counted
    bool hpa_is_due = false;  // in this tick
};

// Fills the readings for KEDA's half.  With counting::on it counts failures, stores each metric's health, and stores the
// samples for useCachedMetrics.
// If policy.takes_hpa_reads and the last pass set ScalingActive, a metric that a pass has read is taken from there and not
// counted, as in KEDA 2.21.  If the HPA half is due in the same tick, one read serves both halves.  The default profile
// ignores reads older than two sync periods, and all of them if the observation has a sample.  A push affects only the sample
// that it brings.
void read_for_executor(const policy& policy, state& state, const observation& observation, counting count,
                       readings& out);

// Fills the readings for the HPA's half.  Counts failures only in the strict profile, where an HPA read counts as in KEDA,
// and with policy.takes_hpa_reads; then the half that runs first counts each read of a tick once.  After the executor half of
// the same tick the readings are kept: they have the same samples, and their failures are counted already.
// In the strict profile the halves count apart, as KEDA does: polls in the status at the API server, the HPA's reads in the object that
// the scalers cache has (metric_health.held).  A cache made by a poll has the poll's object; one made by such a read has a copy.  The
// copy is renewed when such a read changes a count, and goes when any trigger has an error that no fallback replaces.  So while a
// fallback is active, a poll's count may be lost.
// kedacore/keda pkg/scaling/scale_handler.go checkScalers, performGetScalersCache, ClearScalersCache; pkg/fallback/fallback.go @v2.21.0.
void read_for_hpa(const policy& policy, state& state, const observation& observation, readings& out);

// Runs KEDA's half: failures, fallback, activity, then the executor's table.  Updates the state and this half's members of
// the decision.  Returns true if it wants a write, which is then the tick's decision. count: off for a push between two
// polls, so that failureThreshold counts only polls.
bool run_executor_half(const policy& policy, state& state, const observation& observation, counting count,
                       readings& readings, decision& out, trace* trace);

// Sets the condition Fallback from the failures counted so far.  KEDA sets it in the call that counts, which in the strict
// profile is also the HPA's read.
void note_valid_fallback(const policy& policy, state& state, std::int64_t now_ms);
inline void note_fallback(const policy& policy, state& state, std::int64_t now_ms) {
    if (policy.fallback_on) return note_valid_fallback(policy, state, now_ms);
    state.fallback_active = false;
}

// Runs the HPA's half: proposals, combination, stabilization, rate limits, bounds, between max(1, min) and max.
void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace);

}  // namespace gputide::decide
