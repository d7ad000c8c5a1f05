// Lookups of members.hpp.
#include "formats/json/members.hpp"

namespace gputide::formats {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

template <class T>
std::optional<T> member_of(dom::object object, std::string_view name) {
    T out;
    if (object.at_key(name).get(out) != SUCCESS) return std::nullopt;
    return out;
}

template <class T>
std::optional<T> member_at(dom::object object, std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return member_of<T>(object, path);
    const auto parent = object_of(object, path.substr(0, slash));
    return parent ? member_of<T>(*parent, path.substr(slash + 1)) : std::nullopt;
}

}  // namespace

std::optional<std::string_view> text_of(dom::object object, std::string_view name) {
    return member_of<std::string_view>(object, name);
}
std::string text_in(dom::object object, std::string_view name) {
    return std::string(text_of(object, name).value_or(""));
}

std::optional<std::string_view> text_of(dom::object object, std::string_view path, std::string_view name) {
    const auto parent = object_of(object, path);
    return parent ? text_of(*parent, name) : std::nullopt;
}
std::string text_in(dom::object object, std::string_view path, std::string_view name) {
    return std::string(text_of(object, path, name).value_or(""));
}

std::optional<dom::object> object_of(dom::object object, std::string_view path) {
    return member_at<dom::object>(object, path);
}
std::optional<dom::array> array_of(dom::object object, std::string_view path) {
    return member_at<dom::array>(object, path);
}
std::optional<std::int64_t> integer_of(dom::object object, std::string_view path) {
    return member_at<std::int64_t>(object, path);
}

std::optional<double> number_of(dom::element element) {
    double out = 0.0;
    if (!element.is_number() || element.get(out) != SUCCESS) return std::nullopt;
    return out;
}

}  // namespace gputide::formats
