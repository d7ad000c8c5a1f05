// Executes the plan of a handover (plan.hpp) over the network and reports the progress.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/handover/plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::kubernetes {

// Their names are the values in the JSON.
enum class handover_result : std::int32_t { done = 0, planned, waiting, refused, failed };
enum class step_state : std::int32_t { not_reached = 0, was_done, done, planned, waiting, not_needed };

struct handover_outcome {
    struct step {
        step_state state = step_state::not_reached;
        std::int64_t took_ms = 0;  // time to do the step or to wait for it
        std::string message;       // observation
    };
    handover_result result = handover_result::failed;
    std::array<step, handover_steps> steps;
    std::string message;
    std::string remedy;
    error why{status::ok};  // the error if the result is failed; otherwise the last temporary failure
};

// Called when a step is completed or starts to wait; may be empty.
using handover_listener = std::function<void(std::size_t step, const handover_outcome::step& as_it_stands)>;

// Starts a handover.  Ends at the deadline with the progress so far.  Runs on the loop's thread; the callbacks never run inside
// this call.
std::shared_ptr<http::exchange> hand_over(api api, handover_change change, std::int64_t deadline_ms,
                                          std::function<void(handover_outcome)> done, handover_listener on_step = {});

std::string outcome_json(const handover_change& change, const handover_outcome& outcome);
// Returns one step: {"handover":"ml/llm","step":"pause","state":"done","took_ms":117,"message":""}.
std::string step_json(const handover_change& change, std::size_t step, const handover_outcome::step& as_it_stands);

}  // namespace gputide::kubernetes
