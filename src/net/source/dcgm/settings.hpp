// The metadata of a dcgm trigger as typed settings.  No I/O.  In: one trigger with its authentication resolved; out: settings,
// or all errors together; warnings go to the report.  The table of keys is keys.hpp.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "formats/exposition/selector.hpp"
#include "source/access/settings.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::source::dcgm {

struct settings {
    std::vector<std::string> urls;
    std::string metric;                      // as written
    std::vector<std::string> numerator;      // names of the metric
    std::vector<std::string> denominator;    // names of all its terms; empty: no ratio
    formats::exposition::selector selector;  // numerator and denominator, with the matchers
    std::vector<formats::exposition::label_names>
        group_labels;            // one value per group of series with these labels alike; empty: no groups
    std::string group_reduce;    // series of a group → its value
    std::string reduce = "avg";  // values → the trigger's value
    bool rate = false;           // of a counter, per second
    double scale = 1.0;
    bool accept_partial = false;
    std::int64_t max_age_ms = 0;  // 0: no limit; only of samples that carry a time
    std::int64_t timeout_ms = 0;  // of one page; 0: limits::default_http_timeout_ms

    access::settings access;
    source::target target;
    const preset* filled_by = nullptr;  // the preset that gave the metric

    bool is_ratio() const { return !denominator.empty(); }
    // The metric is one that a MIG instance does not have; what it then shows, mostly 0, is no utilisation.
    bool leaves_instances_out = false;
    // Neither the selector nor `by` speaks of pods, and a shared GPU may come with its own series and one for each pod.
    bool takes_whole_devices = false;
    source::reduction possible;  // its largest value alone: what one series may say
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::dcgm
