#include "kubernetes/watch/item.hpp"

#include "base/format_text.hpp"
#include "base/json_split.hpp"
#include "base/limits.hpp"
#include "formats/json/large_integers.hpp"

#include <utility>

namespace gputide::kubernetes {
namespace {

std::string reason_of(simdjson::error_code code) {
    if (code == simdjson::DEPTH_ERROR)
        return format_text("it is nested more than {} levels deep", simdjson::DEFAULT_MAX_DEPTH);
    return "it is not valid JSON";
}

}  // namespace

result<simdjson::dom::object> parse_object(formats::scratch& scratch, std::string_view object,
                                           const std::string& text) {
    simdjson::dom::object out;
    simdjson::error_code code = scratch.parse(object, text, out);
    if (code == simdjson::NUMBER_ERROR) {
        if (const auto mended = formats::large_integers_as_doubles(object)) code = scratch.parse(*mended, out);
    }
    if (code != simdjson::SUCCESS) return fail(error_class::not_json, reason_of(code));
    return out;
}

std::string too_large_text() { return format_text("it has more than {} bytes of JSON", limits::response_bytes); }

unreadable_object read_unreadable(std::string_view object, std::string why) {
    const std::string_view metadata = member_text(object, "metadata");
    unreadable_object out;
    out.key.name_space = plain_member(metadata, "namespace");
    out.key.name = plain_member(metadata, "name");
    out.resource_version = plain_member(metadata, "resourceVersion");
    out.why = std::move(why);
    return out;
}

std::optional<unreadable_object> read_item(std::string_view object, const std::string& text,
                                           const std::function<void(simdjson::dom::object)>& use) {
    formats::scratch_use own(object);
    const result<simdjson::dom::object> parsed = parse_object(*own, object, text);
    if (!parsed) return read_unreadable(object, parsed.failure().message);
    use(*parsed);
    return std::nullopt;
}

}  // namespace gputide::kubernetes
