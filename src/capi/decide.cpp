// Implements section 6 of gputide.h: decisions from an observation of the host.
#include "decide/decide.hpp"

#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/observation.hpp"
#include "capi/structs.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "pipeline/pipeline.hpp"

#include <cmath>
#include <utility>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// Restores the state from before the decision, unless the whole call has succeeded.
class undo_unless_done {
  public:
    explicit undo_unless_done(gputide_state& state) : state_(&state) {}
    undo_unless_done(const undo_unless_done&) = delete;
    undo_unless_done& operator=(const undo_unless_done&) = delete;
    ~undo_unless_done() {
        if (state_ != nullptr) std::swap(state_->state, state_->reports->before);
    }
    void done() { state_ = nullptr; }

  private:
    gputide_state* state_;
};

// Decides, and writes the report.  Out of line, so that a decision without a report does not set up its frame.
[[gnu::noinline]] result<void> decide_with_report(const gputide_policy& policy, gputide_state& state,
                                                  const observation_input& input, gputide_decision* out,
                                                  gputide_text* report) {
    if (state.reports == nullptr) state.reports = std::make_unique<gputide_state::report_memory>();
    auto& [before, trace, buffer] = *state.reports;
    before = state.state;  // restored if the report cannot be written or handed over
    undo_unless_done undo(state);
    const decide::decision decision = decide::decide(policy.policy, state.state, input.observation, &trace);
    const auto [pod, container] = decide::failed_pod_of(input.observation, decision);
    const decide::text_details details{input.message_of(decision.failed_metric), pod, container,
                                       state.state.scale_error};
    result<void> given = give_text(decide::write_report(buffer, policy.policy, decision, &trace, details), report);
    if (!given) return given;
    undo.done();
    write_decision(decision, out);
    return {};
}

// Converts a number of the host to a sample; NaN and infinities become sample_state::not_a_number.
sample sample_of(double value, std::int64_t now_ms) {
    sample out;
    out.time_ms = now_ms;
    out.state = std::isfinite(value) ? sample_state::ok : sample_state::not_a_number;
    out.status = std::isfinite(value) ? status::ok : status::no_data;
    out.value = std::isfinite(value) ? value : 0.0;
    return out;
}

result<void> read_values(const double* values, std::uint32_t count, std::int64_t now_ms, observation_input& out) {
    if (result<void> ok = required({{values, "values"}}); !ok) return ok;
    out.samples.reset(count);
    const std::span<sample> buffer = out.samples.all();
    for (std::uint32_t i = 0; i < count; ++i) decide::build(buffer[i], [&] { return sample_of(values[i], now_ms); });
    out.observation.samples = buffer;
    return {};
}

bool are_of_one_size(const gputide_policy& policy, const gputide_state& state) noexcept {
    return state.state.health.size() == policy.policy.metrics.size();
}

// Checks the arguments with a few comparisons on each tick; if one fails, the cold function finds which argument is wrong and
// why.
inline bool arguments_usable(const gputide_policy* policy, const gputide_state* state,
                             const gputide_decision* out) noexcept {
    return is_usable(policy) && state != nullptr && state->process == policy->process && is_writable(out) &&
           are_of_one_size(*policy, *state);
}

[[gnu::cold]] result<void> first_bad_argument(const gputide_policy* policy, const gputide_state* state,
                                              const gputide_decision* out) {
    if (result<void> ok = required({{policy, "policy"}, {state, "state"}}); !ok) return ok;
    if (!are_of_one_size(*policy, *state)) {
        return fail(status::state,
                    "the state has {} metrics, the policy has {}; give the policy that the state was made or "
                    "loaded with, or make a new state",
                    state->state.health.size(), policy->policy.metrics.size());
    }
    return check_out(out, "out");
}

}  // namespace

gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state,
                              const gputide_observation* observation, gputide_decision* out, gputide_text* report,
                              gputide_error* err) {
    return guarded(err, [=]() -> result<void> {  // by value: references would force the arguments into memory
        if (!arguments_usable(policy, state, out)) return first_bad_argument(policy, state, out);
        observation_input input;
        if (result<void> ok = read_observation(observation, input); !ok) return ok;
        if (result<void> ok = check_counts(policy->policy, input.observation, false); !ok) return ok;
        if (report != nullptr) return decide_with_report(*policy, *state, input, out, report);
        // The time was checked, more strictly than decide() does.
        write_decision(decide::decide_at_sane_time(policy->policy, state->state, input.observation, nullptr), out);
        return {};
    });
}

gputide_status gputide_decide_values(const gputide_policy* policy, gputide_state* state, int64_t now_ms,
                                     int32_t current_replicas, const double* values, uint32_t count,
                                     gputide_decision* out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (!arguments_usable(policy, state, out)) return first_bad_argument(policy, state, out);
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        if (current_replicas < 0) {
            return fail(status::invalid, "current_replicas is {}; expected 0 or more", current_replicas);
        }
        if (count != policy->policy.metrics.size()) {
            return fail(status::invalid, "count is {}; the policy has {} metrics", count,
                        policy->policy.metrics.size());
        }
        observation_input input;
        if (result<void> ok = read_values(values, count, now_ms, input); !ok) return ok;
        input.observation.now_ms = now_ms;
        input.observation.spec_replicas = current_replicas;
        write_decision(decide::decide_at_sane_time(policy->policy, state->state, input.observation, nullptr), out);
        return {};
    });
}

gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state, gputide_decision* decision,
                                    int32_t applied, int64_t now_ms, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required({{policy, "policy"}, {state, "state"}}); !ok) return ok;
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<returned_decision> returned = read_decision(decision);
        if (!returned) return returned.take_failure();
        auto& [recorded, message] = *returned;
        if (result<void> ok = decide::check_record(state->state, recorded); !ok) return ok;
        if (applied != 0) {
            decide::record_applied(policy->policy, state->state, recorded, now_ms);
        } else {
            decide::record_failed(policy->policy, state->state, recorded, now_ms, message);
        }
        write_decision(recorded, decision);
        return {};
    });
}

gputide_status gputide_report_render(const char* report, int64_t size_bytes, gputide_text* lines, gputide_error* err) {
    return guarded(err, {{lines, "lines"}}, [&]() -> result<void> {
        result<std::string_view> content = input_text(report, size_bytes, "report");
        if (!content) return content.take_failure();
        return give_text_of(pipeline::render_report(*content), lines);
    });
}
