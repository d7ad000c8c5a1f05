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
    json_element root;
    if (or_bad_alloc(parser_.parse(bytes_.data(), bytes_.size(), false).get(root)) != simdjson::SUCCESS) return;
    if (root.is_object()) object_ = root;
}

json_text::~json_text() {
    // The size of the string buffer in simdjson 3 (document::allocate()): 5/3 of the text plus padding.
    const std::size_t text_bytes = bytes_.size();
    if (parser_.doc.string_buf != nullptr) wipe(parser_.doc.string_buf.get(), text_bytes + text_bytes / 3 * 2);
    wipe(bytes_);
}

std::optional<json_element> member(json_element object, std::string_view name) {
    json_element found;
    if (object.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
    return found;
}

std::optional<json_element> object_member(json_element object, std::string_view name) {
    auto found = member(object, name);
    return found && found->is_object() ? found : std::nullopt;
}

std::optional<std::string_view> text_member(json_element object, std::string_view name) {
    const auto found = member(object, name);
    std::string_view text;
    if (!found || found->get(text) != simdjson::SUCCESS) return std::nullopt;
    return text;
}

std::vector<std::int64_t> integers_member(json_element object, std::string_view name) {
    std::vector<std::int64_t> out;
    simdjson::dom::array list;
    const auto found = member(object, name);
    if (!found || found->get(list) != simdjson::SUCCESS) return out;
    for (const json_element element : list) {
        if (const auto number = whole_number(element)) out.push_back(*number);
    }
    return out;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    const auto value = parse_int64(text);
    if (!value || std::to_string(*value) != text) return std::nullopt;
    return value;
}

std::optional<std::int64_t> whole_number(json_element value) {
    std::int64_t number = 0;
    if (value.is_int64() && value.get(number) == simdjson::SUCCESS) return number;
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return whole_number(text);
    return std::nullopt;
}

}  // namespace gputide::auth
