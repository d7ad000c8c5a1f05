#include "kubernetes/watch/list.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_split.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/json/large_integers.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"

#include <algorithm>
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

void paging::restart() {
    token_.clear();
    is_whole_ = is_metadata_only_ = false;
}

void paging::page_came(const std::string& token, std::size_t bytes) {
    token_ = token;
    is_whole_ = is_metadata_only_ = false;
    if (bytes <= limits::response_bytes / 2) objects_ = std::min(2 * objects_, max_objects);
}

bool paging::page_did_not_fit() {
    if (is_whole_ || is_metadata_only_) {
        is_whole_ = false;
        return false;
    }
    if (objects_ > 1) {
        objects_ /= 2;
    } else {
        is_metadata_only_ = true;
    }
    return true;
}

void paging::take_whole() {
    restart();
    is_whole_ = true;
}

api_request paging::request(const endpoint& collection) const {
    api_request out;
    out.target = collection;
    out.target.verb = "list";
    if (is_metadata_only_) out.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    if (is_whole_) return out;
    out.target.query += format_text("{}limit={}", collection.query.empty() ? "?" : "&", objects_);
    if (!token_.empty()) out.target.query += "&continue=" + percent_encode(token_);
    return out;
}

bool is_too_large(const reply& reply) { return reply.answer.fault == http::fault::too_large; }

namespace {

bool is_items(std::string_view member) { return member == "items"; }

}  // namespace

result<page> read_page(const std::string& body, const paging& asked) {
    const bool is_object = trim(body).starts_with('{');
    const split_text parts = is_object ? split_lists(body, &is_items) : split_text{};
    formats::scratch_use own(parts.rest);
    simdjson::dom::object root;
    const bool is_whole = is_object && !parts.cut && trim(std::string_view(body).substr(parts.behind)).empty();
    if (!is_whole || own->parse(parts.rest, root) != simdjson::SUCCESS)
        return fail(error_class::not_json, "the list is not a JSON object");
    const auto metadata = formats::object_of(root, "metadata");
    if (!metadata || root["items"].error() != simdjson::SUCCESS)
        return fail(error_class::shape, "the response is not a Kubernetes list: metadata or items is missing");
    page out;
    out.is_first = asked.is_first();
    out.is_metadata_only = asked.is_metadata_only();
    out.resource_version = formats::text_in(*metadata, "resourceVersion");
    out.token = formats::text_in(*metadata, "continue");
    out.items.reserve(parts.items.size());
    for (const text_part& item : parts.items) out.items.push_back(item.text);
    return out;
}

void read_items(const page& page, const std::string& body, const std::function<void(simdjson::dom::object)>& use,
                const std::function<void(const unreadable_object&)>& left_out) {
    for (const std::string_view item : page.items) {
        if (page.is_metadata_only) {
            left_out(read_unreadable(item, too_large_text()));
        } else if (const auto unreadable = read_item(item, body, use)) {
            left_out(*unreadable);
        }
    }
}

}  // namespace gputide::kubernetes
