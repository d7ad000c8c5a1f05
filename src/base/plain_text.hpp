// What a person reads in a terminal, a log or a page, made of texts that others wrote: servers, manifests, files.  Nothing of it
// may move the cursor, change colours, begin a line that looks like ours, or turn the order of letters round.
#pragma once

#include <string>

namespace gputide {

// One line: control characters (C0, DEL, C1), U+2028 and U+2029 become blanks; marks that turn the direction of letters or
// cannot be seen (U+061C, U+200B to U+200F, U+202A to U+202E, U+2060 to U+2069, U+FEFF) go; a byte that is no UTF-8 becomes "?".
std::string plain_line(std::string text);

}  // namespace gputide
