// Lookups of json.hpp.
#include "source/json.hpp"

namespace gputide::source {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

template <class T>
std::optional<T> member_of(dom::object from, std::string_view name) {
    T out;
    if (from.at_key(name).get(out) != SUCCESS) return std::nullopt;
    return out;
}

}  // namespace

std::optional<std::string_view> text_of(dom::object from, std::string_view name) {
    return member_of<std::string_view>(from, name);
}
std::string text_in(simdjson::dom::object from, std::string_view name) {
    return std::string(text_of(from, name).value_or(""));
}

std::optional<dom::object> object_of(dom::object from, std::string_view name) {
    return member_of<dom::object>(from, name);
}
std::optional<dom::array> array_of(dom::object from, std::string_view name) {
    return member_of<dom::array>(from, name);
}
std::optional<std::int64_t> integer_of(dom::object from, std::string_view name) {
    return member_of<std::int64_t>(from, name);
}

std::optional<double> number_of(dom::element from) {
    double out = 0.0;
    if (!from.is_number() || from.get(out) != SUCCESS) return std::nullopt;
    return out;
}

}  // namespace gputide::source
