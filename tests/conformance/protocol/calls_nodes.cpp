// Section 13 of gputide.h: plans for GPU nodes.
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

}  // namespace

std::vector<call_entry> nodes_calls() { return {{"nodes.plan", {}, &plan_nodes}}; }

}  // namespace conformance
