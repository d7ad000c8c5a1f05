// What lies behind a trigger's question: the series that its selectors match, how old their samples are, how they moved in
// the last minutes, and, where nothing matches, what is there instead.  Asks through a copy of the trigger with another
// query, so with the same address, credential and trust.
#pragma once

#include "config/spec.hpp"
#include "doctor/age.hpp"
#include "doctor/asker.hpp"
#include "doctor/selection.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// What lies behind a dcgm trigger: the exporter's page itself.

background behind_page(const asker& asker, const patient& whose, const question& question);

// What a page holds for a selector: the series that it takes and, where there are none, all of its metric, or the page's
// names that begin alike.  `names` are those that the metric may have there; a label under one of its other names
// (exported_pod) counts as that label.  Pure.
selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page);

// The same page a moment apart: quick where it moved; slow where a counter of energy stood still, which no GPU's does; else
// unclear, as power may stand still for a while.  Pure.
pace pace_between(std::string_view earlier, std::string_view later);

}  // namespace gputide::doctor
