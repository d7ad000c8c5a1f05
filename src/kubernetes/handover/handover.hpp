// The plan of a handover, and its execution over the network with reports of the progress.
#pragma once

#include "base/callback.hpp"
#include "base/result.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

// A handover of a ScaledObject to another controller, parsed from text, and its next step.  Pure.
enum class handover_side : std::int32_t { gputide = 0, keda };
const char* handover_side_name(handover_side handover_side) noexcept;

struct handover_change {
    object_key object;
    handover_side to = handover_side::gputide;
    std::string owner = "gputide";  // value of gputide.io/owner
    std::int64_t write_ms = 3'000;  // maximum duration of a write by that owner
    bool dry = true;                // only read and compare
};

// Parses JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","lease_s":15,"dry":false}.  Error messages
// name the member with its line and path.
result<handover_change> read_handover_change(std::string_view text);

// The steps that move a ScaledObject from KEDA to gputide or back, in an order in which two controllers never scale it together.
// next_of() derives the next step from the object and the HPAs alone, so an interrupted handover continues from the annotation
// gputide.io/handover.  Pure.
//   to gputide   pause KEDA → condition Paused=True → KEDA's HPA is deleted → set gputide.io/owner
//   to keda      remove gputide.io/owner → wait for writes in progress → unpause KEDA → KEDA's HPA exists
// KEDA's behavior: kedacore/keda controllers/keda/scaledobject_controller.go.

// A ScaledObject with what matters to a handover.
struct handover_view : scaled_object {
    std::string under_way;                       // gputide.io/handover: owner of an unfinished handover
    std::optional<std::string> paused;           // autoscaling.keda.sh/paused: any value
    std::optional<std::string> paused_replicas;  // autoscaling.keda.sh/paused-replicas: KEDA writes this size
    bool says_paused = false;                    // its condition Paused is True
    std::vector<std::string> hpas;               // KEDA's HPAs for this object
    std::vector<std::string> foreign_hpas;       // other HPAs of the same target

    bool pauses_keda() const;  // whether KEDA treats the object as paused
};
handover_view read_handover_view(simdjson::dom::object scaled_object);
void add_hpa(const autoscaler& hpa, handover_view& into);

inline constexpr std::size_t handover_steps = 4;
// Returns the names in the JSON: "pause", "keda_paused", "hpa_gone", "own" or "disown", "settle", "unpause", "hpa_there".
const std::array<const char*, handover_steps>& handover_step_names(handover_side to) noexcept;

enum class handover_move { write, wait, settle, done, needless, refuse };

struct next_handover {
    handover_move move = handover_move::done;
    std::size_t step = 0;  // index of the step
    std::string patch;     // for write: a merge patch
    std::string message;   // for wait, done, needless and refuse
    std::string remedy;    // for wait and refuse
};

// Returns the next step.  is_settled: more time than a write takes has passed since gputide.io/owner was seen to be missing.
next_handover next_of(const handover_change& change, const handover_view& seen, bool is_settled);

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
using handover_listener = callback<void(std::size_t step, const handover_outcome::step& as_it_stands)>;

// Starts a handover.  Ends at the deadline with the progress so far.  Runs on the loop's thread; the callbacks never run inside
// this call.
std::shared_ptr<http::exchange> hand_over(std::shared_ptr<api> api, handover_change change, std::int64_t deadline_ms,
                                          callback<void(handover_outcome)> done, handover_listener on_step = {});

std::string outcome_json(const handover_change& change, const handover_outcome& outcome);
// Returns one step: {"handover":"ml/llm","step":"pause","state":"done","took_ms":117,"message":""}.
std::string step_json(const handover_change& change, std::size_t step, const handover_outcome::step& as_it_stands);

}  // namespace gputide::kubernetes
