// simdjson reports exhausted memory as an error code or an empty copy.  These functions throw std::bad_alloc instead.
#pragma once

#include <simdjson.h>

#include <new>
#include <string_view>

namespace gputide {

// Returns the error code of a parse; throws std::bad_alloc for MEMALLOC.
inline simdjson::error_code or_bad_alloc(simdjson::error_code code) {
    if (code == simdjson::MEMALLOC) throw std::bad_alloc();
    return code;
}

// Returns a copy with SIMDJSON_PADDING bytes behind it, since simdjson reads past the end of its input.
inline simdjson::padded_string padded_copy(std::string_view text) {
    simdjson::padded_string out(text);
    if (out.data() == nullptr) throw std::bad_alloc();
    return out;
}

// Parses a document into `root`, a dom::element, dom::object or dom::array that lives as long as the parser's document.
template <class Root>
simdjson::error_code parse_json(simdjson::dom::parser& parser, std::string_view text, Root& root) {
    const simdjson::padded_string padded = padded_copy(text);
    return or_bad_alloc(parser.parse(padded).get(root));
}

}  // namespace gputide
