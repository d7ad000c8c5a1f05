// A thread's parser memory, and the analysis of a text that is not JSON.
#include "formats/json/scratch.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
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

namespace {

constexpr std::string_view digits = "0123456789";

template <class Integer>
bool is_out_of_range(std::string_view number) {
    Integer value = 0;
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc::result_out_of_range;
}

bool is_large_integer(std::string_view number) {
    const bool is_negative = number.front() == '-';
    if (number.find_first_not_of(digits, is_negative ? 1 : 0) != std::string_view::npos) return false;
    return is_out_of_range<std::int64_t>(number) && (is_negative || is_out_of_range<std::uint64_t>(number));
}

}  // namespace

std::optional<std::string> large_integers_as_doubles(std::string_view json) {
    std::string out;
    std::size_t kept = 0;  // the text up to here is in `out`
    for (std::size_t at = json.find_first_of("\"-0123456789"); at < json.size();
         at = json.find_first_of("\"-0123456789", at)) {
        if (json[at] == '"') {
            std::size_t quote = json.find_first_of("\"\\", at + 1);
            while (quote < json.size() && json[quote] == '\\') quote = json.find_first_of("\"\\", quote + 2);
            at = std::min(quote, json.size() - 1) + 1;
            continue;
        }
        const std::size_t end = std::min(json.find_first_not_of("-+.eE0123456789", at + 1), json.size());
        if (is_large_integer(json.substr(at, end - at))) {
            out.append(json.substr(kept, end - kept)).append(".0");
            kept = end;
        }
        at = end;
    }
    if (kept == 0) return std::nullopt;
    out.append(json.substr(kept));
    return out;
}

}  // namespace gputide::formats
