// Looks up members of a JSON object by name and type.  Nothing if the member is missing, null or of another type.
// A path names a member of nested objects: "metadata/labels" is `labels` in `metadata`.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace gputide::formats {

std::optional<std::string_view> text_of(simdjson::dom::object object, std::string_view name);
// "" if the member is missing or not a string.
std::string text_in(simdjson::dom::object object, std::string_view name);
// The name may contain slashes, as that of an annotation does.
std::optional<std::string_view> text_of(simdjson::dom::object object, std::string_view path, std::string_view name);
std::string text_in(simdjson::dom::object object, std::string_view path, std::string_view name);
std::optional<simdjson::dom::object> object_of(simdjson::dom::object object, std::string_view path);
std::optional<simdjson::dom::array> array_of(simdjson::dom::object object, std::string_view path);
std::optional<std::int64_t> integer_of(simdjson::dom::object object, std::string_view path);

// Returns a JSON number of any kind as the nearest double.
std::optional<double> number_of(simdjson::dom::element element);

// Calls use(object) for each object in the array at that path; skips other elements.
template <class Use>
void for_each_object(simdjson::dom::object object, std::string_view path, Use use) {
    const auto list = array_of(object, path);
    if (!list) return;
    for (const simdjson::dom::element element : *list) {
        simdjson::dom::object entry;
        if (element.get(entry) == simdjson::SUCCESS) use(entry);
    }
}

}  // namespace gputide::formats
