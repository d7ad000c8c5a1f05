// Section 7 of gputide.h: decisions from what the host has seen, and their words.
#include "decide/decide.hpp"

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "decide/report.hpp"
#include "decide/trace.hpp"
#include "runtime/render.hpp"

#include <cstring>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state, const gputide_observation* seen,
                              gputide_decision* out, gputide_text* report, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(policy, "policy"); !ok) return ok;
        if (result<void> ok = required(state, "state"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        seen_input input;
        if (result<void> ok = read_observation(seen, input); !ok) return ok;
        if (report == nullptr) {
            write_struct(out, to_c(decide::decide(policy->policy, state->state, input.observation)));
            return {};
        }
        decide::state next = state->state;  // kept as it was where the report cannot be handed over
        decide::trace why;
        const decide::decision made = decide::decide(policy->policy, next, input.observation, &why);
        if (result<void> ok = give_text(decide::decision_json(policy->policy, made, &why), report); !ok) return ok;
        state->state = std::move(next);
        write_struct(out, to_c(made));
        return {};
    });
}

gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state, gputide_decision* made,
                                    int32_t applied, int64_t now_ms, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(policy, "policy"); !ok) return ok;
        if (result<void> ok = required(state, "state"); !ok) return ok;
        result<gputide_decision> given = read_struct(made, "made");
        if (!given) return std::move(given).failure();
        decide::decision recorded = from_c(*given);
        if (applied != 0) {
            decide::record_applied(policy->policy, state->state, recorded, now_ms);
        } else {
            decide::record_failed(policy->policy, state->state, recorded, now_ms);
        }
        write_struct(made, to_c(recorded));
        return {};
    });
}

namespace {

const char* or_unknown(const char* name) { return *name != '\0' ? name : "unknown"; }

}  // namespace

const char* gputide_limit_name(int32_t limit) {
    return or_unknown(decide::limit_name(static_cast<decide::limit>(limit)));
}

const char* gputide_condition_name(int32_t condition) {
    return or_unknown(decide::condition_name(static_cast<decide::condition_type>(condition)));
}

const char* gputide_reason_name(int32_t reason) {
    return or_unknown(decide::reason_name(static_cast<decide::reason>(reason)));
}

gputide_status gputide_trace_render(const char* report, int64_t size_bytes, gputide_text* lines, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(lines, "lines"); !ok) return ok;
        result<std::string_view> content = input_text(report, size_bytes, "report");
        if (!content) return std::move(content).failure();
        result<std::string> rendered = runtime::render_report(*content);
        if (!rendered) return std::move(rendered).failure();
        return give_text(*rendered, lines);
    });
}
