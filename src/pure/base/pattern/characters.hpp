// Parses the parts of a regular expression that match one character (a literal, an escape, a class or a bracket) into a
// set of code points.  Errors go to the cursor.
#pragma once

#include "base/pattern/code_points.hpp"
#include "base/pattern/cursor.hpp"

namespace gputide {

// Parses . a \. \n \d \W.  ignores_case: under the flag i.
code_point_set read_literal(pattern_cursor& cursor, bool ignores_case);

// Parses [abc] [a-z\d] [^a-z] [[:alpha:]_]; the cursor is at the '['.
code_point_set read_bracket(pattern_cursor& cursor, bool ignores_case);

}  // namespace gputide
