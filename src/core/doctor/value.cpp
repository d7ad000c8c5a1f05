// Judges numbers.
#include "doctor/value.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "doctor/aliasing.hpp"
#include "doctor/selection.hpp"
#include "doctor/tempo.hpp"
#include "source/gpu_metrics.hpp"

#include <algorithm>
#include <optional>

namespace gputide::doctor {
namespace {

const char* const other_signals =
    "Scale on what grows with the load: DCGM_FI_PROF_GR_ENGINE_ACTIVE or DCGM_FI_PROF_SM_ACTIVE (0 to 1), or better "
    "the "
    "server's own queue: vllm:num_requests_waiting, nv_inference_pending_request_count (Triton), tgi_queue_size.";

bool is_utilisation(const std::string& metric) {
    return source::is_device_utilisation(metric) || lower(metric).find("util") != std::string::npos;
}

bool on_instances(const std::vector<source::series>& past) {
    return std::any_of(past.begin(), past.end(),
                       [](const source::series& one) { return !label_value(one.labels, "GPU_I_ID").empty(); });
}

step not_a_number(const value& seen) {
    const bool as_zero = seen.sample.null_as_zero;
    const std::string text =
        as_zero ? "the query gives NaN or infinity, and ignoreNullValues makes 0 of it" : seen.said;
    const std::string cause =
        "A division by zero (0/0 when nothing runs or nothing was counted yet), or a source that reports NaN itself.";
    const std::string fix =
        "Keep the case out of the query: `a / (b > 0)` is empty instead of NaN, `... or vector(0)` says that nothing "
        "means 0.";
    if (!as_zero) return broken(step_name::value, text, cause, fix);
    return doubtful(step_name::value, text, cause + " As 0 it scales the workload down, whatever its load is.",
                    fix +
                        " With ignoreNullValues: \"false\" it is an error that holds the size, and a fallback can take "
                        "over.");
}

step saturated(const value& seen, const std::string& text) {
    return doubtful(
        step_name::value, format_text("{}; every sample of {} in the last minutes is 100", text, seen.metric),
        "The metric is saturated: it says that some kernel ran, and not how much work waits. At 100 it cannot "
        "tell one more replica from ten.",
        other_signals);
}

step of_instances(const value& seen, const std::string& text) {
    return doubtful(step_name::value,
                    format_text("{}; every sample of {} in the last minutes is 0, on MIG instances", text, seen.metric),
                    "The driver gives no utilisation of MIG instances: the field stays 0.",
                    "Use DCGM_FI_PROF_GR_ENGINE_ACTIVE (0 to 1), which works under MIG.");
}

}  // namespace

step judge_value(const value& seen) {
    if (seen.sample.state == sample_state::not_a_number || seen.sample.null_as_zero) return not_a_number(seen);
    if (seen.sample.state != sample_state::ok) {
        return broken(step_name::value, seen.said, "The answer holds no number that the trigger can use.",
                      "Let the query give one number: avg(...), max(...), histogram_quantile(...), scalar(...).");
    }
    const std::string text = shortest(seen.sample.value);
    if (is_utilisation(seen.metric) && always(seen.past, 100.0)) return saturated(seen, text);
    if (is_utilisation(seen.metric) && on_instances(seen.past) && always(seen.past, 0.0))
        return of_instances(seen, text);
    if (std::optional<step> missed = judge_aliasing(seen.metric, seen.past, seen.beside, text))
        return *std::move(missed);
    return passed(step_name::value, text);
}

step judge_activation(const activation& seen) {
    const std::string number = shortest(seen.value);
    const std::string share = seen.per_pod ? " per replica" : "";
    step out = passed(step_name::activation, {});
    const char* after =
        seen.can_be_zero ? "; after cooldownPeriod KEDA's half takes the last replica away" : "; the minimum stays";
    if (seen.is_hpa) {
        out.seen = format_text("{}, target {}{}", number, shortest(seen.target), share);
    } else if (seen.word != activity_word::none) {
        const bool active = seen.word == activity_word::active;
        out.seen = format_text("{}, as the source itself says{}; {}, target {}{}", active ? "active" : "not active",
                               active ? "" : after, number, shortest(seen.target), share);
    } else if (seen.value > seen.above) {
        out.seen =
            format_text("active: {} > {}; target {}{}", number, shortest(seen.above), shortest(seen.target), share);
    } else {
        out.seen = format_text("not active: {} <= activationThreshold {}{}", number, shortest(seen.above), after);
    }
    out.detail.emplace_back("value", number);
    if (seen.word == activity_word::none) out.detail.emplace_back("activation_threshold", shortest(seen.above));
    out.detail.emplace_back("target", shortest(seen.target));
    return out;
}

}  // namespace gputide::doctor
