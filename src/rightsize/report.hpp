// A recommendation as JSON: what is recommended, the evidence, the runner-up, the money, and a sentence for people.
// Members: docs/json.md.  Equal input, equal text.
#pragma once

#include "rightsize/recommend.hpp"

#include <string>
#include <string_view>

namespace gputide::rightsize {

// Whose report it is, and of when.
struct report_of {
    std::string_view container;  // "": the settings' own
    std::int64_t now_ms = 0;
};
std::string report_json(const recommendation& recommendation, const usage& usage, const settings& settings,
                        const report_of& subject);

// {"need":{…},"now":{…},"options":[…],"sku":{…}|null,"mig":{…}|null}: what a known need comes to.
std::string options_json(const gpu_need& need, const settings& settings);

// The settings with every default filled in, and what was found to remark.
std::string settings_json(const settings& settings, const config::report& findings);

// "2 GPUs", "1 of 4 instances of 1g.20gb", "1 of 3 replicas on a GPU".
std::string option_text(const option& one);

}  // namespace gputide::rightsize
