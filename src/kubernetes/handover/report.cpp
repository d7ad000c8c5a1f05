// A hand-over's outcome as JSON.
#include "base/json_writer.hpp"
#include "kubernetes/handover/handover.hpp"

#include <array>

namespace gputide::kubernetes {
namespace {

void write_step_json(json_writer& out, const handover_change& change, std::size_t step,
                     const handover_outcome::step& as_it_stands) {
    static constexpr std::array<const char*, 6> states{"not_reached", "was_done", "done",
                                                       "planned",     "waiting",  "not_needed"};
    out.member("step", handover_step_names(change.to)[step]);
    out.member("state", states[static_cast<std::size_t>(as_it_stands.state)]).member("took_ms", as_it_stands.took_ms);
    out.member("message", as_it_stands.message);
}

}  // namespace

std::string outcome_json(const handover_change& change, const handover_outcome& outcome) {
    static constexpr std::array<const char*, 5> results{"done", "planned", "waiting", "refused", "failed"};
    json_writer out;
    out.begin_object().member("namespace", change.object.name_space).member("name", change.object.name);
    out.member("to", handover_side_name(change.to)).member("owner", change.owner).member("dry", change.dry);
    out.member("result", results[static_cast<std::size_t>(outcome.result)]);
    out.member("message", outcome.message).member("remedy", outcome.remedy);
    out.member("status", status_name(outcome.why.status)).key("steps").begin_array();
    for (std::size_t i = 0; i < handover_steps; ++i) {
        out.begin_object();
        write_step_json(out, change, i, outcome.steps[i]);
        out.end_object();
    }
    return out.end_array().end_object().take();
}

std::string step_json(const handover_change& change, std::size_t step, const handover_outcome::step& as_it_stands) {
    json_writer out;
    out.begin_object().member("handover", change.object.text());
    write_step_json(out, change, step, as_it_stands);
    return out.end_object().take();
}

}  // namespace gputide::kubernetes
