// A handover, as text and as a value: the ScaledObject and its next controller.  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

enum class handover_side : std::int32_t { gputide = 0, keda };
const char* handover_side_name(handover_side handover_side) noexcept;

struct handover_change {
    object_key object;
    handover_side to = handover_side::gputide;
    std::string owner = "gputide";  // the value of gputide.io/owner
    std::int64_t write_ms = 3'000;  // the longest that a write of that owner's is under way
    bool dry = true;                // read and compare, write nothing
};

// {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","lease_s":15,"dry":false}; JSON or YAML.  Errors name the
// member, its line and path.
result<handover_change> read_handover_change(std::string_view text);

// The order in which a ScaledObject goes from a living KEDA to gputide and back, so that at no time two scale it.
// In: the object and the HPAs as they are; out: the one thing to do or to wait for now.  Nothing is remembered: an interrupted
// hand-over goes on from what the object says (its annotation gputide.io/handover).  Pure.
//   to gputide   pause KEDA → it says Paused=True → its HPA is gone → gputide.io/owner
//   to keda      no gputide.io/owner → a write under way has ended → KEDA is no longer paused → its HPA is there
// What KEDA does at each: kedacore/keda controllers/keda/scaledobject_controller.go.

struct handover_view {
    object_facts facts;
    target_reference target;
    std::string owner;                           // gputide.io/owner
    std::string under_way;                       // gputide.io/handover: the owner of one that has begun and not ended
    std::optional<std::string> paused;           // autoscaling.keda.sh/paused, whatever it says
    std::optional<std::string> paused_replicas;  // autoscaling.keda.sh/paused-replicas, which has KEDA write
    bool is_kedas = false;
    bool says_paused = false;               // its condition Paused is True
    std::vector<std::string> hpas;          // of KEDA's, made for it
    std::vector<std::string> foreign_hpas;  // of others, on the same target

    bool is_paused() const;
};
handover_view read_handover_view(simdjson::dom::object scaled_object);
void add_hpa(const autoscaler& hpa, handover_view& into);

inline constexpr std::size_t handover_steps = 4;
// The words of the JSON: "pause", "keda_paused", "hpa_gone", "own"; "disown", "settle", "unpause", "hpa_there".
const std::array<const char*, handover_steps>& handover_step_names(handover_side to) noexcept;

enum class handover_move { write, wait, settle, done, needless, refuse };

struct next_handover {
    handover_move move = handover_move::done;
    std::size_t step = 0;  // that it belongs to
    std::string patch;     // write: a merge patch
    std::string message;   // wait, done, needless, refuse
    std::string remedy;    // wait, refuse
};

// is_settled: longer than a write takes has passed since gputide.io/owner went, or was seen to be gone.
next_handover next_of(const handover_change& change, const handover_view& seen, bool is_settled);

}  // namespace gputide::kubernetes
