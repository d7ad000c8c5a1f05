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

}  // namespace

std::optional<std::string_view> text_of(dom::object object, std::string_view name) {
    return member_of<std::string_view>(object, name);
}
std::string text_in(simdjson::dom::object object, std::string_view name) {
    return std::string(text_of(object, name).value_or(""));
}

std::optional<dom::object> object_of(dom::object object, std::string_view name) {
    return member_of<dom::object>(object, name);
}
std::optional<dom::array> array_of(dom::object object, std::string_view name) {
    return member_of<dom::array>(object, name);
}
std::optional<std::int64_t> integer_of(dom::object object, std::string_view name) {
    return member_of<std::int64_t>(object, name);
}

std::optional<double> number_of(dom::element element) {
    double out = 0.0;
    if (!element.is_number() || element.get(out) != SUCCESS) return std::nullopt;
    return out;
}

}  // namespace gputide::formats
