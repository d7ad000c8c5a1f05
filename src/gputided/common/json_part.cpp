#include "common/json_part.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gputided {
namespace {

// Behind the text that begins there.
std::size_t text_end(std::string_view json, std::size_t from) {
    std::size_t at = from + 1;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2U : 1U;
    return std::min(at + 1, json.size());
}

// The comma or the bracket behind the value that begins there.
std::size_t value_end(std::string_view json, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t at = from; at < json.size(); ++at) {
        const char one = json[at];
        if (one == '"') {
            at = text_end(json, at) - 1;
        } else if (one == '{' || one == '[') {
            ++depth;
        } else if (depth == 0 && (one == ',' || one == '}' || one == ']')) {
            return at;
        } else if (one == '}' || one == ']') {
            --depth;
        }
    }
    return json.size();
}

}  // namespace

std::string_view json_member(std::string_view object, std::string_view name) {
    for (std::size_t at = 1; at < object.size() && object[at] == '"';) {
        const std::size_t colon = text_end(object, at);
        if (colon == object.size()) break;
        const std::size_t end = value_end(object, colon);
        if (object.substr(at + 1, colon - at - 2) == name) return object.substr(colon + 1, end - colon - 1);
        at = end + 1;
    }
    return {};
}

std::vector<std::string_view> json_elements(std::string_view array) {
    std::vector<std::string_view> out;
    for (std::size_t at = 1; at + 1 < array.size();) {
        const std::size_t end = value_end(array, at);
        out.push_back(array.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string json_text(std::string_view value) {
    const auto read = nlohmann::json::parse(value, nullptr, false);
    return read.is_string() ? read.get<std::string>() : std::string();
}

}  // namespace gputided
