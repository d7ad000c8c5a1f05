// Carries out the plan of a hand-over (plan.hpp) over the network, and tells how far it came.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/handover/plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::kubernetes {

// The words of the JSON.
enum class handover_result : std::int32_t { done = 0, planned, waiting, refused, failed };
enum class step_state : std::int32_t { not_reached = 0, was_done, done, planned, waiting, not_needed };

struct handover_outcome {
    struct step {
        step_state state = step_state::not_reached;
        std::int64_t took_ms = 0;  // of what was done or waited for here
        std::string message;       // what was seen
    };
    handover_result result = handover_result::failed;
    std::array<step, handover_steps> steps;
    std::string message;
    std::string remedy;
    error why{status::ok};  // failed; or what kept the server from answering to the end
};

// Hears that a step came to its end, or is waited for; may be empty.
using handover_listener = std::function<void(std::size_t step, const handover_outcome::step& as_it_stands)>;

// Ends at the deadline with how far it came.  On the loop's thread; neither callback runs inside this call.
std::shared_ptr<http::exchange> hand_over(api api, handover_change change, std::int64_t deadline_ms,
                                          std::function<void(handover_outcome)> done, handover_listener on_step = {});

std::string outcome_json(const handover_change& change, const handover_outcome& outcome);
// {"handover":"ml/llm","step":"pause","state":"done","took_ms":117,"message":""}: one of its steps, by itself.
std::string step_json(const handover_change& change, std::size_t step, const handover_outcome::step& as_it_stands);

}  // namespace gputide::kubernetes
