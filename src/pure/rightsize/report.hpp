// Writes a recommendation as JSON: the choice, the evidence, the runner-up, the cost, and a sentence for people.
// Members: docs/json.md.  Equal input gives equal text.
#pragma once

#include "rightsize/recommend.hpp"

#include <string>
#include <string_view>

namespace gputide::rightsize {

// The subject and the time of a report.
struct report_of {
    std::string_view container;  // "": from the settings
    std::int64_t now_ms = 0;
};
std::string report_json(const recommendation& recommendation, const usage& usage, const settings& settings,
                        const report_of& subject);

// Writes {"need":{…},"now":{…},"options":[…],"sku":{…}|null,"mig":{…}|null}: the options for a known need.
std::string options_json(const gpu_need& need, const settings& settings);

// Writes the settings with all defaults, and their warnings.
std::string settings_json(const settings& settings, const config::report& findings);

// Returns "2 GPUs", "1 of 4 instances of 1g.20gb", "1 of 3 replicas on a GPU".
std::string option_text(const option& option);

}  // namespace gputide::rightsize
