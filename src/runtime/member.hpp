// One scaler of a fleet: the pipeline with what the fleet remembers beside it.
#pragma once

#include "http/retry.hpp"
#include "runtime/questions.hpp"
#include "runtime/scaler.hpp"
#include "runtime/seen.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace gputide::runtime {

struct member {
    member(scaler from, std::shared_ptr<runtime::line> over) : of(std::move(from)), line(std::move(over)) {}

    scaler of;
    std::shared_ptr<runtime::line> line;  // that its sources send over
    runtime::seen seen;
    std::shared_ptr<http::exchange> poll;  // under way; null: none
    std::int64_t planned_ms = 0;           // when its next poll was to be, on the pace's elapsed time
    std::int64_t polled_ms = 0;            // Unix: the time of the poll under way, or of the last one
    std::uint64_t polls = 0;
    std::uint32_t untold = 0;       // decisions that wait for their event to be taken; 0: no event waits
    std::uint32_t event_stamp = 0;  // of its place in the line
    bool polling = false;
    bool awaited = false;   // its next poll is due and waits for the host's observation (options.observe_first)
    bool called = false;    // and the host has taken the event that says so
    bool answered = false;  // the observation has come, the poll may begin
    std::string report;     // of the newest decision, while its event waits

    bool has_event() const { return untold > 0 || (awaited && !called); }

    // How often something of it is due: the shorter of its two periods.
    std::int64_t period_ms() const;
    std::int64_t longest_period_ms() const;
    std::string name() const { return of.policy().scaling.name_space + "/" + of.policy().scaling.name; }
    // A metric has a source that the host does not stand in for.
    bool needs_asking() const;
};

// Whether the host wants to know: a write is due, or something differs from the decision before.
bool worth_telling(const decide::decision& before, const decide::decision& made);

}  // namespace gputide::runtime
