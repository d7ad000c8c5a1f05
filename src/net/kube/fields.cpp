// Quantities, times and lists of the Kubernetes API.
#include "kube/fields.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"

namespace gputide::kube {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

// Returns nothing if the member is absent or null.
std::optional<dom::element> written(dom::object object, std::string_view name) {
    dom::element out;
    if (object.at_key(name).get(out) != SUCCESS || out.is_null()) return std::nullopt;
    return out;
}

std::string joined(const std::string& place, std::string_view name) {
    return (place.empty() ? "" : place + ".") + std::string(name);
}

// Returns the digits of a bare number unchanged: apimachinery reads them as a quantity's text.
std::string quantity_text(dom::element element) {
    std::string_view text;
    if (element.get(text) == SUCCESS) return std::string(trim(text));
    return element.is_number() ? simdjson::minify(element) : std::string();
}

}  // namespace

result<std::int64_t> quantity_field(dom::object object, std::string_view name, const std::string& place) {
    const auto value = written(object, name);
    if (!value) return wrong_shape(joined(place, name) + ": expected a quantity, got nothing");
    auto read = parse_quantity(quantity_text(*value));
    if (!read) return wrong_shape(format_text("{}: {}", joined(place, name), read.failure().message));
    if (!read->milli_overflow) return read->milli;
    return fail(error_class::range, format_text("{}: the quantity {} is beyond what 64 bits of thousandths hold",
                                                joined(place, name), gputide::in_quotes(quantity_text(*value))));
}

result<std::optional<std::int64_t>> time_field(dom::object object, std::string_view name, const std::string& place) {
    const auto value = written(object, name);
    if (!value) return std::optional<std::int64_t>();
    std::string_view text;
    if (value->get(text) != SUCCESS) return wrong_shape(joined(place, name) + ": expected an RFC 3339 time");
    if (text.empty()) return std::optional<std::int64_t>();
    const auto time_ms = parse_rfc3339(text);
    if (!time_ms)
        return wrong_shape(
            format_text("{}: expected an RFC 3339 time, got {}", joined(place, name), gputide::in_quotes(text)));
    return time_ms;
}

result<void> each_object(dom::object object, std::string_view name, const std::string& place,
                         const std::function<result<void>(dom::object, const std::string&)>& how) {
    const auto value = written(object, name);
    if (!value) return {};
    dom::array list;
    if (value->get(list) != SUCCESS) return wrong_shape(joined(place, name) + ": expected a list");
    std::size_t index = 0;
    for (const dom::element element : list) {
        const std::string here = format_text("{}[{}]", joined(place, name), index);
        if (++index > limits::series) {
            return fail(error_class::limit, format_text("{} has more than {} elements; narrow the selector",
                                                        joined(place, name), limits::series));
        }
        dom::object content;
        if (element.get(content) != SUCCESS) return wrong_shape(here + ": expected an object");
        if (auto read = how(content, here); !read) return read;
    }
    return {};
}

}  // namespace gputide::kube
