// A thread's parser memory, and the analysis of a text that is not JSON.
#include "formats/json/scratch.hpp"

#include "base/text.hpp"

#include <cstdint>

namespace gputide::formats {

simdjson::padded_string_view scratch::padded(std::string_view document, const std::string& text) {
    const auto before = static_cast<std::size_t>(document.data() - text.data());
    const std::size_t available = text.capacity() - before;  // of the document and the text after it
    if (available - document.size() >= simdjson::SIMDJSON_PADDING)
        return simdjson::padded_string_view(document.data(), document.size(), available);
    padded_copy.reserve(document.size() + simdjson::SIMDJSON_PADDING);
    padded_copy.assign(document);
    return simdjson::padded_string_view(padded_copy);
}

void scratch::release() {
    whole = simdjson::dom::parser();
    forward = simdjson::ondemand::parser();
    padded_copy = std::string();
}

scratch& thread_scratch() {
    static thread_local scratch mine;
    return mine;
}

text_outline outline_of(std::string_view text) {
    text = trim(text);
    if (text.empty()) return {.blank = true, .looks_cut = true};
    std::int64_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\') ++at;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    const bool starts_as_json = text.front() == '{' || text.front() == '[';
    return {.looks_cut = starts_as_json && (in_string || depth > 0), .balanced = depth == 0 && !in_string};
}

}  // namespace gputide::formats
