// Implements sections 16 and 18 of plan.h: a plan for GPU nodes, and one poll of a ScaledJob.
#include "capi/entry.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "gputide/plan.h"
#include "nodes/read/snapshot.hpp"
#include "nodes/report/json.hpp"
#include "pipeline/pipeline.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

gputide_nodes_summary summary_of(const nodes::cluster& cluster, const nodes::plan& plan, const text::report& findings) {
    gputide_nodes_summary out{};
    out.errors = static_cast<std::uint32_t>(findings.count(text::severity::error));
    out.warnings = static_cast<std::uint32_t>(findings.count(text::severity::warning));
    for (const nodes::pool_result& pool : plan.pools) {
        out.nodes_to_add += pool.add;
        out.nodes_to_remove += pool.remove;
    }
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        out.pods_pending += cluster.pending[i].count;
        out.pods_on_existing += plan.groups[i].on_existing;
        out.pods_on_new += plan.groups[i].on_new;
        out.pods_left += plan.groups[i].left;
    }
    return out;
}

// Fails only if nothing could be read: one bad item does not fail the others.
result<void> something_read(const nodes::cluster& cluster, const text::report& findings) {
    const bool nothing = cluster.pools.empty() && cluster.nodes.empty() && cluster.pending.empty();
    if (!nothing || findings.count(text::severity::error) == 0) return {};
    return findings.as_error();
}

}  // namespace

gputide_status gputide_nodes_plan(const char* text, int64_t size_bytes, const char* state, int64_t state_bytes,
                                  int64_t now_ms, gputide_nodes_summary* summary, gputide_text* json,
                                  gputide_text* next_state, gputide_error* err) {
    return guarded(err, {}, [&]() -> result<void> {
        result<std::string_view> given = input_text(text, size_bytes, "text");
        if (!given) return given.take_failure();
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        if (summary != nullptr)
            if (result<void> ok = check_out(summary, "summary"); !ok) return ok;
        result<std::string_view> saved = optional_text(state, state_bytes, "state");
        if (!saved) return saved.take_failure();
        result<nodes::state> before = nodes::load_state(*saved);
        if (!before) return before.take_failure();

        nodes::snapshot all;
        text::report findings;
        all.read("text", *given, findings);
        const nodes::cluster cluster = all.finish(findings);
        if (result<void> ok = something_read(cluster, findings); !ok) return ok;
        for (const nodes::snapshot::event& event : all.events)
            nodes::record(*before, event.kind, event.pool, event.nodes, event.time_ms.value_or(now_ms), all.how);
        const nodes::plan plan = nodes::make_plan(cluster, all.how, now_ms, *before);

        texts_to_give texts;
        if (json != nullptr) {
            if (result<void> ok = texts.prepare(nodes::plan_json(cluster, plan, findings, now_ms), json); !ok)
                return ok;
        }
        if (result<void> ok = texts.prepare(nodes::save_state(*before), next_state); !ok) return ok;
        if (summary != nullptr) write_struct(summary, summary_of(cluster, plan, findings));
        texts.give();
        return {};
    });
}

gputide_status gputide_scaled_job_decide(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                         const char* observation, int64_t observation_bytes, gputide_text* decision,
                                         gputide_error* err) {
    return guarded(err, {{decision, "decision"}}, [&]() -> result<void> {
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        result<std::string_view> text = input_text(observation, observation_bytes, "observation");
        if (!text) return text.take_failure();
        return give_text_of(pipeline::decide_scaled_job(input->files, input->host, *text), decision);
    });
}
