#include "jobs/demand.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::jobs {

namespace {

// Returns Quantity.AsApproximateFloat64 (k8s.io/apimachinery) of a number with three decimals.
double quantity(std::int64_t milli) { return static_cast<double>(milli) * 0.001; }

std::int64_t whole(double value) {
    constexpr double max_value = 9.0e18;
    if (!(value > -max_value)) return std::numeric_limits<std::int64_t>::min();
    return value < max_value ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::max();
}

// Rounds up; outside the strict profile a value within 1e-12 of an integer is that integer, because 13.2 / 1.2 means 11.
std::int64_t rounded_up(double value, manifest::profile profile) {
    const double near = std::round(value);
    const bool is_noise = std::fabs(value - near) <= 1e-12 * std::max(1.0, std::fabs(value));
    if (profile == manifest::profile::standard && is_noise) return whole(near);
    return whole(std::ceil(value));
}

struct sums {
    double queue_length = 0.0;
    double max_value = 0.0;
    std::int32_t taken = 0;

    void put(const demand& demand) {
        queue_length = demand.queue_length;
        max_value = demand.max_value;
        ++taken;
    }
};

// Returns the first of the longest queues; an empty queue does not count.
sums greatest(const std::vector<demand>& demands) {
    sums out;
    for (const demand& demand : demands) {
        if (demand.is_active && demand.queue_length > out.queue_length) out.put(demand);
    }
    return out;
}

// Strict profile: KEDA uses 0 as "no value yet", so a later demand replaces a demand of 0.
sums least(const std::vector<demand>& demands, manifest::profile profile) {
    sums out;
    for (const demand& demand : demands) {
        const bool is_first = profile == manifest::profile::strict ? out.queue_length == 0.0 : out.taken == 0;
        if (demand.is_active && (is_first || demand.queue_length < out.queue_length)) out.put(demand);
    }
    return out;
}

sums added(const std::vector<demand>& demands) {
    sums out;
    for (const demand& demand : demands) {
        if (!demand.is_active) continue;
        out.queue_length += demand.queue_length;
        out.max_value += demand.max_value;
        ++out.taken;
    }
    return out;
}

sums mean(const std::vector<demand>& demands) {
    sums out = added(demands);
    if (out.taken == 0) return out;
    out.queue_length /= out.taken;
    out.max_value /= out.taken;
    return out;
}

sums calculated(const std::vector<demand>& demands, const std::string& calculation, manifest::profile profile) {
    if (calculation == "min") return least(demands, profile);
    if (calculation == "avg") return mean(demands);
    if (calculation == "sum") return added(demands);
    return greatest(demands);
}

// Reads one entry per metric of the trigger.  Ignores values with another name than the first metric's.  After an active
// metric, all later metrics of the trigger count as active.
void read_trigger(const trigger_reading& trigger, double headroom, std::vector<demand>& demands, total& out) {
    bool is_active = false;
    for (const metric_reading& metric : trigger.metrics) {
        if (metric.failed) {
            out.has_error = true;
            continue;
        }
        ++out.answered;
        if (metric.is_active) out.active_metrics.push_back(metric.name);
        is_active = is_active || metric.is_active;
        demand asked = demand_of(trigger.metrics, metric.values, headroom);
        asked.is_active = is_active;
        demands.push_back(asked);
    }
}

}  // namespace

demand demand_of(const std::vector<metric_reading>& metrics, const std::vector<metric_value>& values, double headroom) {
    demand out;
    if (metrics.empty()) return out;
    for (const metric_reading& metric : metrics) out.target += quantity(metric.target_milli.value_or(0));
    out.target /= static_cast<double>(metrics.size());
    for (const metric_value& value : values) {
        if (value.name == metrics.front().name) out.queue_length += quantity(value.milli);
    }
    if (out.target != 0.0) out.max_value = std::min(out.queue_length / out.target, headroom);
    return out;
}

total combine(const std::vector<demand>& demands, const std::string& calculation, const bounds& bounds,
              manifest::profile profile) {
    const sums all = calculated(demands, calculation, profile);
    total out;
    out.is_active = all.taken > 0 || bounds.min > 0;
    out.scale_to = rounded_up(all.queue_length, profile);
    out.max_scale = rounded_up(std::min(all.max_value, static_cast<double>(bounds.headroom)), profile);
    return out;
}

total total_of(const manifest::scaled_job& job, const std::vector<trigger_reading>& triggers) {
    const bounds bounds = bounds_of(job);
    total read;
    std::vector<demand> demands;
    const bool all_built =
        std::ranges::none_of(triggers, [](const trigger_reading& trigger) { return trigger.cannot_be_built; });
    read.has_error = !all_built;
    for (const trigger_reading& trigger : triggers) {
        if (!all_built || trigger.is_resource) continue;
        // An external scaler that is down returns no metrics; KEDA treats it as healthy.
        if (trigger.metrics.empty() && job.profile == manifest::profile::standard) read.has_error = true;
        read_trigger(trigger, static_cast<double>(bounds.headroom), demands, read);
    }
    total out = combine(demands, job.strategy.calculation, bounds, job.profile);
    out.has_error = read.has_error;
    out.answered = read.answered;
    out.active_metrics = std::move(read.active_metrics);
    return out;
}

bounds bounds_of(const manifest::scaled_job& job) {
    const std::int64_t min = job.min.value_or(0);
    if (job.profile == manifest::profile::standard) {
        const std::int64_t cap = job.max ? std::int64_t{*job.max} : std::max(default_max, min);
        const std::int64_t kept = std::min(min, cap);
        return {kept, cap - kept, cap};
    }
    if (!job.max) return {min, default_max, min + default_max};
    const std::int64_t max = *job.max;
    if (min > max) return {max, max, 2 * max};
    return {min, max - min, max};
}

}  // namespace gputide::jobs
