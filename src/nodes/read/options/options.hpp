// How to plan, as people write it: cluster-autoscaler's flags under their own names, AKS' profile, which has the same words,
// and a few of this project.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

namespace gputide::nodes {

// Values may be quoted, as flags and ARM have them: "10m", "true", "0.5".  What is unknown is a warning, what cannot be read
// an error, and the setting then stays as it was.
void read_options(const value_reader& reader, options& options);

// One of them, under its own name or as az prints AKS' profile ("scaleDownUnneededTime").
void read_option(const value_reader& where, std::string_view name, std::string_view text, options& options);

// {"50": ["h100.*"], "10": [".*"]}; a pattern or number that is none is an error and leaves all of them out.
void read_priorities(const value_reader& reader, options& options);

}  // namespace gputide::nodes
