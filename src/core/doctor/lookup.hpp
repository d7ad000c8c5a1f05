// Reads the series behind a trigger's query: those that its selectors match, the age and the recent values of their samples, and,
// if nothing matches, similar series.  Sends the queries through a copy of the trigger, so with the same address, credential and
// trust settings.
#pragma once

#include "doctor/asker.hpp"
#include "doctor/judge.hpp"
#include "doctor/selection.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

// The trigger of the diagnosis, and what is needed to open a copy of it.
struct examined_trigger {
    const manifest::trigger& trigger;
    const manifest::trigger_rules& rules;
    manifest::profile profile = manifest::profile::standard;
    const source::services& services;
    std::int64_t now_ms = 0;  // time of evaluation

    std::string metadata(const char* key) const;  // a key of the trigger's metadata; "" if absent
};

// The query of a trigger, from the manifest or from a preset.
struct question {
    std::string text;                // query or metric; "": does not apply
    std::vector<std::string> names;  // of a page's series, the current name first
    bool is_rate = false;            // the rate of a counter: the first reading gives no value
    source::inquiry inquiry = source::inquiry::opaque;
};
question question_of(const examined_trigger& examined);

// Describes and opens a trigger with the services of the examined trigger.
result<std::shared_ptr<source::metric_source>> open(const manifest::trigger& trigger,
                                                    const manifest::trigger_rules& rules,
                                                    const examined_trigger& examined);

struct background {
    std::vector<selection> selections;
    std::string metric;                  // of the first selector that matches series
    std::vector<source::series> past;    // of that metric: the last five minutes
    std::vector<source::series> beside;  // all series of the same GPUs over the same time
    doctor::tempo tempo;                 // of a metric that changes with each collection, otherwise of `past`
    std::optional<std::int64_t> oldest_ms;
};

// Returns empty values for a trigger without such series.
background look_behind(const asker& asker, const examined_trigger& examined, const question& question);

// Returns the background of a dcgm trigger, from the exporter's page.
background behind_page(const asker& asker, const examined_trigger& examined, const question& question);

// Applies a selector to a page: finds its series or, if there are none, all series of its metric, or metrics with names that
// begin alike.  `names`: possible names of the metric on the page.  A label under one of its other names (exported_pod) counts as
// that label.  Pure.
selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page);

// Compares two texts of the same page. quick: it changed; slow: an energy counter stood still, which is impossible for a GPU that
// is read; otherwise unclear, because power may be constant for a while.  Pure.
pace pace_between(std::string_view earlier, std::string_view later);

}  // namespace gputide::doctor
