// One number read from a metric source, or the reason why it is missing. source/ returns it; decide/ uses it.
#pragma once

#include "base/status.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {

// State of a sample.  Append-only: the numbers are those of gputide.h.
enum class sample_state : std::int32_t {
    not_given = 0,     // not read yet, or unknown
    ok = 1,            // value is valid
    empty = 2,         // the query succeeded and matched nothing
    not_a_number = 3,  // NaN or an infinity
    stale = 4,         // older than the maximum age of the policy
    partial = 5,       // the peer marked its response as incomplete
    ambiguous = 6,     // several values and no reducer
    auth = 7,          // 401, 403, or no token
    timeout = 8,       // no response within the deadline
    failed = 9,        // every other error
};

// Names in JSON and logs, in the order of the numbers.
inline constexpr std::array<std::string_view, 10> sample_state_names{
    "not_given", "ok", "empty", "not_a_number", "stale", "partial", "ambiguous", "auth", "timeout", "failed"};

// Returns "ok"; "" for an unknown number.
inline std::string_view sample_state_name(sample_state state) noexcept {
    const auto at = static_cast<std::size_t>(state);  // a negative number becomes a large one
    return at < sample_state_names.size() ? sample_state_names[at] : std::string_view();
}

// Tells whether the peer answered the query, even if the response does not contain exactly one number.
inline bool answered(sample_state state) noexcept {
    switch (state) {
        case sample_state::ok:
        case sample_state::empty:
        case sample_state::not_a_number:
        case sample_state::stale:
        case sample_state::partial:
        case sample_state::ambiguous:
            return true;
        case sample_state::auth:
        case sample_state::timeout:
        case sample_state::failed:
        case sample_state::not_given:
            break;
    }
    return false;
}

// Activity of the trigger as the peer reports it; none: the threshold decides.
enum class activity_word : std::int8_t { none = 0, inactive = 1, active = 2 };

// The method by which a GPU value was read, if it changes the meaning of the value.  Ordered by coverage of the interval, the
// best first: the maximum of several is the least reliable.
enum class read_by : std::int8_t {
    unknown = 0,
    gpm = 1,             // the driver's counters at both ends of the interval
    energy_counter = 2,  // difference of the energy counter at both ends
    driver_samples = 3,  // mean of the driver's own samples in the interval
    single_sample = 4,   // only the driver's last sample
};

// Names in traces and reports; "" for unknown.
inline constexpr std::array<std::string_view, 5> read_by_names{"", "gpm", "energy_counter", "driver_samples",
                                                               "single_sample"};

inline std::string_view read_by_name(read_by way) noexcept {
    const auto at = static_cast<std::size_t>(way);
    return at < read_by_names.size() ? read_by_names[at] : std::string_view();
}

struct sample {
    sample_state state = sample_state::not_given;
    gputide::status status = gputide::status::ok;  // of the failed read; ok if state is ok
    double value = 0.0;                            // finite if state is ok; otherwise 0
    std::int64_t time_ms = 0;                      // time of the measurement, Unix milliseconds; 0: unknown
    // The state was empty or not_a_number, and the trigger's ignoreNullValues replaced it by value 0; state is then ok.
    bool null_as_zero = false;
    activity_word activity = activity_word::none;
    gputide::read_by read_by = gputide::read_by::unknown;
    std::int32_t interval_ms = 0;   // the value is an average over this time; 0: unknown, or an instant
    std::int64_t target_milli = 0;  // target that the peer reports, which overrides the manifest's; 0: none

    // Tells whether the sample also has an activity or a target, which a host that copies only the value would lose.
    bool has_activity_or_target() const noexcept { return activity != activity_word::none || target_milli != 0; }
};

// The pods of a workload, and the value of one metric for each pod. source/ returns them; decide/ uses them for Pods and
// Resource metrics.

// The numbers are those of gputide.h; 0 means unknown.
enum class pod_phase : std::int32_t { running = 1, pending = 2, succeeded = 3, failed = 4, unknown = 5 };
// unknown: the condition Ready has the status Unknown.  The HPA counts such a pod as ready for cpu, and as not ready
// for a Value target.
enum class readiness : std::int32_t { yes = 1, no = 2, no_condition = 3, unknown = 4 };

struct pod_state {
    std::string name;
    pod_phase phase = pod_phase::unknown;
    bool deleting = false;
    gputide::readiness readiness = gputide::readiness::no_condition;
    std::optional<std::int64_t> start_time_ms;         // Unix
    std::optional<std::int64_t> ready_change_time_ms;  // Ready condition's lastTransitionTime
};

struct pod_value {
    std::string pod;                            // name of the pod; need not be in the list of pods
    std::optional<std::int64_t> value_milli;    // nothing: the pod has only a request
    std::optional<std::int64_t> request_milli;  // for Utilization
    std::optional<std::int64_t> time_ms;
    std::int32_t window_s = 60;
    std::string container;  // without request_milli: the first container without a request; "": a request of the pod
};

// The pods' values of one metric at one time.
struct pod_reading {
    std::vector<pod_state> pods;
    std::vector<pod_value> values;
};

}  // namespace gputide
