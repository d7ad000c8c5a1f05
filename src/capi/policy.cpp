// Implements section 5 of gputide.h, policy and state, and the check of a manifest.
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "decide/decide.hpp"
#include "decide/state/state.hpp"
#include "decide/state/text.hpp"
#include "pipeline/host.hpp"
#include "pipeline/pipeline.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// Gives a new or loaded state its own random value, so that its decision ids differ from those of all other states.
gputide_state* make_state_handle(decide::state state) {
    decide::reseed_ids(state, pipeline::fresh_seed());
    return make_handle<gputide_state>(std::move(state));
}

}  // namespace

gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                      gputide_text* report, gputide_text* lines, gputide_error* err) {
    return guarded(err, {{report, "report"}}, [&]() -> result<void> {
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        const pipeline::checked found = pipeline::check_manifest(input->files, input->host);
        if (result<void> ok = give_report(pipeline::checked_json(found), text::render(found.report), report, lines);
            !ok)
            return ok;
        error worst = found.report.as_error();
        if (worst.status != status::ok) return worst;
        return {};
    });
}

gputide_status gputide_policy_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   gputide_policy** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        result<pipeline::described> described = pipeline::describe_targets(input->files, input->host);
        if (!described) return described.take_failure();
        *out = make_handle<gputide_policy>(std::move(described->policy));
        return {};
    });
}

void gputide_policy_free(gputide_policy* policy) { end(policy); }

uint32_t gputide_policy_metric_count(const gputide_policy* policy) {
    return policy != nullptr ? static_cast<uint32_t>(policy->policy.metrics.size()) : 0;
}

const char* gputide_policy_metric_name(const gputide_policy* policy, int32_t metric) {
    const auto index = static_cast<std::size_t>(metric);  // a negative number becomes a large one
    if (policy == nullptr || index >= policy->policy.metrics.size()) return nullptr;
    return policy->policy.metrics[index].label().c_str();
}

gputide_status gputide_policy_describe(const gputide_policy* policy, gputide_text* json, gputide_error* err) {
    return guarded(err, {{policy, "policy"}, {json, "json"}},
                   [&]() -> result<void> { return give_text(pipeline::policy_json(policy->policy), json); });
}

gputide_status gputide_state_new(const gputide_policy* policy, int64_t created_ms, gputide_state** out,
                                 gputide_error* err) {
    return guarded(err, {{policy, "policy"}, {out, "out"}}, [&]() -> result<void> {
        if (created_ms != 0) {
            if (result<void> ok = check_time(created_ms, "created_ms"); !ok) return ok;
        }
        const std::int64_t created = created_ms != 0 ? created_ms : decide::absent;
        *out = make_state_handle(decide::make_state(policy->policy, created));
        return {};
    });
}

void gputide_state_free(gputide_state* state) { end(state); }

gputide_status gputide_state_save(const gputide_policy* policy, const gputide_state* state, gputide_text* out,
                                  gputide_error* err) {
    return guarded(err, {{policy, "policy"}, {state, "state"}, {out, "out"}},
                   [&]() -> result<void> { return give_text(decide::save_state(policy->policy, state->state), out); });
}

gputide_status gputide_state_describe(const gputide_policy* policy, const gputide_state* state, gputide_text* json,
                                      gputide_error* err) {
    return guarded(err, {{policy, "policy"}, {state, "state"}, {json, "json"}}, [&]() -> result<void> {
        return give_text(decide::describe_state(policy->policy, state->state), json);
    });
}

gputide_status gputide_state_load(const gputide_policy* policy, const char* text, int64_t size_bytes, uint32_t flags,
                                  gputide_state** out, gputide_error* err) {
    return guarded(err, {{policy, "policy"}, {out, "out"}}, [&]() -> result<void> {
        if (result<void> ok = check_flags(flags, GPUTIDE_STATE_UNCHECKED, "flags"); !ok) return ok;
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return content.take_failure();
        const bool unchecked = (flags & GPUTIDE_STATE_UNCHECKED) != 0;
        result<decide::state> loaded =
            unchecked ? decide::read_state(policy->policy, *content) : decide::load_state(policy->policy, *content);
        if (!loaded) return loaded.take_failure();
        *out = make_state_handle(*std::move(loaded));
        return {};
    });
}
