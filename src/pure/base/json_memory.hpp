// simdjson reports a lack of memory as an error code or an empty copy; here it becomes std::bad_alloc, as everywhere.
#pragma once

#include <simdjson.h>

#include <new>
#include <string_view>

namespace gputide {

// Returns the error code of a parse; throws if it is a lack of memory.
inline simdjson::error_code or_bad_alloc(simdjson::error_code code) {
    if (code == simdjson::MEMALLOC) throw std::bad_alloc();
    return code;
}

// simdjson reads up to SIMDJSON_PADDING bytes past the end of what it is given.
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
