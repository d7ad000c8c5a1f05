// What lies behind a trigger's question: the series that its selectors match, how old their samples are, how they moved in
// the last minutes, and, where nothing matches, what is there instead.  Asks through a copy of the trigger with another
// query, so with the same address, credential and trust.
#pragma once

#include "config/spec.hpp"
#include "doctor/asker.hpp"
#include "doctor/selection.hpp"
#include "doctor/tempo.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// The trigger that is looked into, and how to open one like it.
struct patient {
    const config::trigger& trigger;
    const config::trigger_rules& rules;
    config::profile profile = config::profile::standard;
    const source::services& services;
    std::int64_t now_ms = 0;  // the time of evaluation

    std::string metadata(const char* key) const;  // of the trigger; "" where it is not written
};

// What the trigger asks, whether it is written or a preset fills it in: of a description, what is needed to look behind it.
struct question {
    std::string text;                // its query or metric; "": the type has no such thing
    std::vector<std::string> names;  // of a page's series, today's first
    bool is_rate = false;            // of a counter: the first reading gives none
    source::inquiry inquiry = source::inquiry::opaque;
};
question question_of(const patient& whose);

// Describes and opens a trigger in the patient's place.
result<std::shared_ptr<source::metric_source>> open(const config::trigger& trigger, const config::trigger_rules& rules,
                                                    const patient& whose);

struct background {
    std::vector<selection> selections;
    std::string metric;                  // of the first selector that finds something
    std::vector<source::series> past;    // of that: the last five minutes
    std::vector<source::series> beside;  // other series of the same GPUs over the same time, and itself
    doctor::tempo tempo;                 // of what moves on each collection where there is such a thing, else of `past`
    std::optional<std::int64_t> oldest_ms;
};

// Nothing in it for a trigger that cannot be looked behind.
background look_behind(const asker& asker, const patient& whose, const question& question);

}  // namespace gputide::doctor
