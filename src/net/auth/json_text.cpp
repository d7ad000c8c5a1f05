// Implements json_text.hpp.
#include "auth/json_text.hpp"

#include "base/json_memory.hpp"
#include "base/limits.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace gputide::auth {

json_text::json_text(std::string_view text) {
    bytes_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    bytes_ = text;
    if (text.empty()) return;
    if (or_bad_alloc(parser_.allocate(text.size(), limits::json_depth)) != simdjson::SUCCESS) return;
    json_object root;
    if (or_bad_alloc(parser_.parse(bytes_.data(), bytes_.size(), false).get(root)) == simdjson::SUCCESS) object_ = root;
}

json_text::~json_text() {
    // The size of the string buffer in simdjson 3 (document::allocate()): 5/3 of the text plus padding.
    const std::size_t text_bytes = bytes_.size();
    if (parser_.doc.string_buf != nullptr) wipe(parser_.doc.string_buf.get(), text_bytes + text_bytes / 3 * 2);
    wipe(bytes_);
}

std::optional<json_element> member(json_object object, std::string_view name) {
    json_element found;
    if (object.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
    return found;
}

std::string_view first_text(json_object object, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (const auto text = text_of(object, name); text && !text->empty()) return *text;
    }
    return {};
}

std::optional<std::int64_t> whole_number(json_element value) {
    std::int64_t number = 0;
    if (value.is_int64() && value.get(number) == simdjson::SUCCESS) return number;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
    const auto written = parse_int64(text);
    return written && std::to_string(*written) == text ? written : std::nullopt;
}

std::optional<std::int64_t> whole_number_of(json_object object, std::string_view name) {
    const auto found = member(object, name);
    return found ? whole_number(*found) : std::nullopt;
}

}  // namespace gputide::auth
