// Sections 16 and 18 of plan.h: plans for GPU nodes, and one poll of a ScaledJob.
#include "protocol/call.hpp"

namespace conformance {
namespace {

json summary_json(const gputide_nodes_summary& of) {
    return {{"errors", of.errors},
            {"warnings", of.warnings},
            {"nodes_to_add", json_integer(of.nodes_to_add)},
            {"nodes_to_remove", json_integer(of.nodes_to_remove)},
            {"pods_pending", json_integer(of.pods_pending)},
            {"pods_on_existing", json_integer(of.pods_on_existing)},
            {"pods_on_new", json_integer(of.pods_on_new)},
            {"pods_left", json_integer(of.pods_left)}};
}

void plan_nodes(call& call) {
    const std::string text = call.text("text");
    const std::string state = call.text("state");
    auto summary = sized<gputide_nodes_summary>();
    gputide_text plan{nullptr, 0};
    gputide_text next{nullptr, 0};
    if (call.works(gputide_nodes_plan, text.data(), static_cast<std::int64_t>(text.size()),
                   state.empty() ? nullptr : state.data(), static_cast<std::int64_t>(state.size()),
                   call.integer("now_ms"), &summary, &plan, &next)) {
        call.result["summary"] = summary_json(summary);
        call.put_text("json", plan);
        call.put_text("state", next);
    }
    gputide_text_free(&plan);
    gputide_text_free(&next);
}

void decide_scaled_job(call& call) {
    const std::string manifest = call.text("text");
    const std::string seen = call.text("seen");
    gputide_text decision{nullptr, 0};
    if (call.works(gputide_scaled_job_decide, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                   call.options(), seen.data(), static_cast<std::int64_t>(seen.size()), &decision)) {
        call.put_text("decision", decision);
    }
    gputide_text_free(&decision);
}

}  // namespace

std::vector<call_entry> nodes_calls() {
    return {{"nodes.plan", {}, &plan_nodes}, {"scaled.job_decide", {}, &decide_scaled_job}};
}

}  // namespace conformance
