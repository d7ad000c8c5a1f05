// Reads the options of a plan: cluster-autoscaler's flags under their own names, AKS' profile with the same names, and
// a few of this project.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

namespace gputide::nodes {

// Values may be quoted, as in flags and ARM: "10m", "true", "0.5".  An unknown option is a warning, an invalid value an
// error, and the option then keeps its value.
void read_options(const value_reader& reader, options& options);

// Sets one option, by its own name or by az's name of AKS' profile ("scaleDownUnneededTime").
void read_option(const value_reader& where, std::string_view name, std::string_view text, options& options);

// Parses {"50": ["h100.*"], "10": [".*"]}; an invalid pattern or number is an error and all of them are ignored.
void read_priorities(const value_reader& reader, options& options);

}  // namespace gputide::nodes
