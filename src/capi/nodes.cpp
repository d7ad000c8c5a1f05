// Section 13 of gputide.h: a plan for GPU nodes.
#include "capi/guard.hpp"
#include "capi/structs.hpp"
#include "nodes/read/snapshot.hpp"
#include "nodes/read/state_text.hpp"
#include "nodes/report/json.hpp"

using namespace gputide;        // NOLINT: the entry below is the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

gputide_nodes_summary summary_of(const nodes::cluster& cluster, const nodes::plan& plan,
                                 const config::report& findings) {
    gputide_nodes_summary out{};
    out.errors = static_cast<std::uint32_t>(findings.count(config::severity::error));
    out.warnings = static_cast<std::uint32_t>(findings.count(config::severity::warning));
    for (const nodes::pool_result& one : plan.pools) {
        out.nodes_to_add += one.add;
        out.nodes_to_remove += one.remove;
    }
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        out.pods_pending += cluster.pending[i].count;
        out.pods_on_existing += plan.groups[i].on_existing;
        out.pods_on_new += plan.groups[i].on_new;
        out.pods_left += plan.groups[i].left;
    }
    return out;
}

// One bad item never fails the others; where nothing at all could be read, that is the failure.
result<void> something_read(const nodes::cluster& cluster, const config::report& findings) {
    const bool nothing = cluster.pools.empty() && cluster.nodes.empty() && cluster.pending.empty();
    if (!nothing || findings.count(config::severity::error) == 0) return {};
    return findings.as_error();
}

}  // namespace

gputide_status gputide_nodes_plan(const char* text, int64_t size_bytes, const char* state, int64_t state_bytes,
                                  int64_t now_ms, gputide_nodes_summary* summary, gputide_text* json,
                                  gputide_text* next_state, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        result<std::string_view> given = input_text(text, size_bytes, "text");
        if (!given) return std::move(given).failure();
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        if (summary != nullptr)
            if (result<void> ok = check_out(summary, "summary"); !ok) return ok;
        result<std::string_view> saved =
            state != nullptr ? input_text(state, state_bytes, "state") : result<std::string_view>(std::string_view());
        if (!saved) return std::move(saved).failure();
        result<nodes::state> before = nodes::load_state(*saved);
        if (!before) return std::move(before).failure();

        nodes::snapshot all;
        config::report findings;
        all.read("text", *given, findings);
        const nodes::cluster cluster = all.finish(findings);
        if (result<void> ok = something_read(cluster, findings); !ok) return ok;
        for (const nodes::snapshot::event& one : all.events)
            nodes::record(*before, one.kind, one.pool, one.nodes, one.time_ms.value_or(now_ms), all.how.backoff);
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
