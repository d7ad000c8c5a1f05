// Makes input from servers, manifests and files safe for a terminal, a log or a page: such text must not move the cursor,
// change colors, start a line that looks like ours, or reverse the order of letters.
#pragma once

#include <string>

namespace gputide {

// Returns the text on one line.  Control characters (C0, DEL, C1), U+2028 and U+2029 become blanks.  Marks that change
// the direction of letters or are invisible (U+061C, U+200B to U+200F, U+202A to U+202E, U+2060 to U+2069, U+FEFF) are
// removed.  An invalid UTF-8 byte becomes "?".
std::string plain_line(std::string text);

}  // namespace gputide
