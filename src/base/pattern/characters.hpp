// The parts of a regular expression that stand for one character: a literal, an escape, a class or a bracket → the set of
// code points that it takes.  What is wrong is said to the cursor.
#pragma once

#include "base/pattern/code_points.hpp"
#include "base/pattern/cursor.hpp"

namespace gputide {

// a \. \n \d \W.  ignores_case: under the flag i.
code_point_set read_literal(pattern_cursor& cursor, bool ignores_case);

// [abc] [a-z\d] [^a-z] [[:alpha:]_]; the cursor stands at the '['.
code_point_set read_bracket(pattern_cursor& cursor, bool ignores_case);

}  // namespace gputide
