#include "kubernetes/watch/page.hpp"

#include "base/json_split.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"

namespace gputide::kubernetes {
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
        return fail(error_class::shape, "the answer is not a list of Kubernetes: it has no metadata or no items");
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
