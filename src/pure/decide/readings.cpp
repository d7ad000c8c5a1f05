// Prepares the samples for each half; see readings.hpp.
#include "decide/readings.hpp"

#include "base/saturate.hpp"
#include "decide/decision.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

enum class half : std::int32_t { executor = 0, hpa = 1 };

// Returns the sample of the source, or the executor half's last read.
const sample& sample_of(const policy& policy, const state& state, const observation& observation, std::size_t metric,
                        half half, bool& from_cache) noexcept {
    static constexpr sample no_sample{};
    const sample& cached = state.health[metric].last;
    from_cache = half == half::hpa && policy.metrics[metric].use_cached && cached.state != sample_state::not_given;
    if (from_cache) return cached;
    return metric < observation.samples.size() ? observation.samples[metric] : no_sample;
}

// A hold keeps a running target active, and does not activate a target at 0.
passed_metric held(const observation& observation, const failure_count& before) noexcept {
    passed_metric out;
    out.active = observation.spec_replicas > 0;
    static_cast<failure_count&>(out) = before;
    return out;
}

// KEDA caches the poll's result, and a fallback's value as a good read: an HPA read of it resets the failure count.
void remember(const policy& policy, metric_health& health, const sample& read, const passed_metric& passed) noexcept {
    const std::int64_t target_milli = health.last.target_milli;
    health.last = read;
    if (read.target_milli == 0) health.last.target_milli = target_milli;  // kept after a failed read
    health.last.time_ms = sane_time(read.time_ms);
    if (!is_strict(policy.scaling) || !passed.fallback_active) return;
    health.last.state = sample_state::ok;
    health.last.value = static_cast<double>(passed.value_milli) / 1000.0;
}

passed_metric passed_of(const policy& policy, std::size_t metric, const ruled_sample& ruled,
                        const observation& observation, const metric_health& health, failure_count before,
                        counting count) {
    if (ruled.action == no_data_action::hold) return held(observation, before);
    metric_read read = read_of(policy.metrics[metric], ruled.value);
    if (ruled.action == no_data_action::fallback) {  // as if the failure threshold were reached
        read = {.error = true, .target_milli = health.last.target_milli};
        if (policy.scaling.fallback)
            before.failures = std::max(before.failures, policy.scaling.fallback->failure_threshold);
        count = counting::on;
    } else if (policy.formula && ruled.value.state != sample_state::ok) {
        read.error = true;  // a variable without a value
    }
    return pass_metric(policy, metric, read, before, observation, count);
}

// A hold keeps a running target active.  If the held metric is a variable of the formula, the composite is held: no value and
// no error.
composite composite_of(const policy& policy, const observation& observation, readings& readings) {
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        if (policy.metrics[i].kind != metric_kind::external || readings.read[i].ruled.action != no_data_action::hold)
            continue;
        composite out;
        out.active = observation.spec_replicas > 0;
        out.has_value = true;
        return out;
    }
    return combine(policy, readings.passed.all());
}

// kedacore/keda pkg/scaling/scale_handler.go hpaActivelyQuerying, hpaObservedRecord @v2.21.0.  KEDA's records have no maximum
// age, and KEDA never has a newer value available.
bool can_take_read(const policy& policy, const state& state, std::size_t metric, const observation& observation) {
    const hpa_read& read = state.health[metric].read;
    if (!policy.takes_hpa_reads || policy.metrics[metric].kind != metric_kind::external || read.time_ms == absent)
        return false;
    if (condition_of(state.conditions, condition_type::scaling_active).truth != truth::yes) return false;
    if (is_strict(policy.scaling)) return true;
    constexpr std::int64_t periods = 2;
    const std::int64_t oldest_ms = periods * policy.scaling.extra.sync_period_ms;
    const bool is_given =
        metric < observation.samples.size() && observation.samples[metric].state != sample_state::not_given;
    return !is_given && subtract_saturating(observation.now_ms, read.time_ms) <= oldest_ms;
}

void take_read(const metric_health& health, reading& reading, passed_metric& passed) noexcept {
    const hpa_read& read = health.read;
    reading = {};
    reading.from_hpa = true;
    reading.ruled.value.state = read.error ? sample_state::failed : sample_state::ok;
    reading.ruled.value.value = approximate_value(read.value_milli);
    reading.ruled.value.time_ms = read.time_ms;
    passed = {};
    passed.error = read.error;
    passed.active = read.active;
    passed.fallback_active = read.fallback;
    passed.value_milli = read.value_milli;
    static_cast<failure_count&>(passed) = health;
}

void keep_reads(const policy& policy, state& state, std::int64_t now_ms, readings& readings) {
    for (std::size_t i = 0; i < readings.passed.size(); ++i) {
        if (policy.metrics[i].kind != metric_kind::external) continue;
        const passed_metric& passed = readings.passed[i];
        state.health[i].read = {now_ms, passed.value_milli, passed.active, passed.error, passed.fallback_active};
    }
}

// KEDA's scalers cache was made by a poll: it has the poll's own object, in which both halves count.
constexpr failure_count shared_count{-1, false};

// The copy of the failure counts for the HPA half; see read_for_hpa().
class held_counts {
  public:
    held_counts(const policy& policy, state& state, half half, counting count, const readings& readings)
        : state_(state), is_on_(is_strict(policy.scaling) && policy.fallback_on && count == counting::on) {
        if (!is_on_ || state.health.empty()) return;
        const bool is_hpas_read = half == half::hpa || (policy.takes_hpa_reads && readings.hpa_is_due);
        std::optional<failure_count>& first = state.health.front().held;
        is_copy_ = is_hpas_read && first != shared_count;
        if (is_copy_ && !first) hold();
        if (!first) first = shared_count;
    }
    const failure_count& before(const metric_health& health) const { return is_copy_ ? *health.held : health; }
    // Takes a count.  An unchanged one of the copy is not written, which leaves what polls have counted.
    void take(const failure_count& before, const failure_count& after, metric_health& health) {
        const bool is_written = !is_copy_ || before != after;
        if (is_written) static_cast<failure_count&>(health) = after;
        if (is_written && is_copy_) hold();
    }
    void end(readings& readings) {
        if (!is_on_) return;
        const bool fails = std::ranges::any_of(readings.passed.all(), [](const auto& metric) { return metric.error; });
        if (!fails) return;
        for (metric_health& health : state_.health) health.held.reset();
    }

  private:
    void hold() {
        for (metric_health& health : state_.health) health.held = health;
    }

    state& state_;
    const bool is_on_;
    bool is_copy_ = false;
};

void read_metrics(const policy& policy, state& state, const observation& observation, half half, counting count,
                  readings& out) {
    held_counts held(policy, state, half, count, out);
    const std::size_t metrics = out.read.size();
    for (std::size_t i = 0; i < metrics; ++i) {
        metric_health& health = state.health[i];
        reading& reading = out.read[i];
        if (half == half::executor && count == counting::on && !out.hpa_is_due &&
            can_take_read(policy, state, i, observation)) {
            take_read(health, reading, out.passed[i]);
            health.active = out.passed[i].active;
            continue;
        }
        reading.from_hpa = false;
        const sample& raw = sample_of(policy, state, observation, i, half, reading.from_cache);
        build(reading.ruled, [&] { return apply_sample_rules(policy.metrics[i].rules, raw, observation.now_ms); });
        if (reading.ruled.value.target_milli == 0) reading.ruled.value.target_milli = health.last.target_milli;
        const failure_count& before = held.before(health);
        const passed_metric& passed = build(
            out.passed[i], [&] { return passed_of(policy, i, reading.ruled, observation, health, before, count); });
        if (half == half::executor) health.active = passed.active;
        if (count == counting::off) continue;
        held.take(before, passed, health);
        if (half == half::executor || policy.takes_hpa_reads) remember(policy, health, raw, passed);
    }
    if (policy.formula) build(out.modifiers, [&] { return composite_of(policy, observation, out); });
    held.end(out);
    out.filled = true;
    out.counted = count == counting::on;
}

}  // namespace

void read_for_executor(const policy& policy, state& state, const observation& observation, counting count,
                       readings& out) {
    read_metrics(policy, state, observation, half::executor, count, out);
}

void read_for_hpa(const policy& policy, state& state, const observation& observation, readings& out) {
    const bool counts = is_strict(policy.scaling) || policy.takes_hpa_reads;
    const bool holds = out.filled && (policy.takes_hpa_reads ? out.counted : !counts);
    if (!holds) read_metrics(policy, state, observation, half::hpa, counts ? counting::on : counting::off, out);
    if (policy.takes_hpa_reads) keep_reads(policy, state, observation.now_ms, out);
}

}  // namespace gputide::decide
