#include "cluster/watch/event.hpp"

#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"

#include <array>
#include <optional>
#include <utility>

namespace gputide::cluster {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

constexpr std::size_t most_message_bytes = 512;  // of the server's own words

std::optional<change> change_of(std::string_view type) {
    static constexpr std::array<std::pair<std::string_view, change>, 5> names{{{"ADDED", change::added},
                                                                               {"MODIFIED", change::modified},
                                                                               {"DELETED", change::deleted},
                                                                               {"BOOKMARK", change::bookmark},
                                                                               {"ERROR", change::error}}};
    for (const auto& [name, what] : names) {
        if (name == type) return what;
    }
    return std::nullopt;
}

}  // namespace

result<void> read_event(const std::string& line, const std::function<void(const watch_event&, dom::object)>& use) {
    formats::scratch_use own(line);
    dom::object root;
    if (own->parse(line, root) != SUCCESS) {
        return fail(error_class::not_json, "a line of the watch is no JSON object");
    }
    const auto type = change_of(formats::text_of(root, "type").value_or(""));
    const auto object = formats::object_of(root, "object");
    if (!type || !object) {
        return fail(error_class::shape, "a line of the watch has no type that is known, or no object");
    }
    watch_event out;
    out.change = *type;
    if (*type == change::error) {
        out.code = formats::integer_of(*object, "code").value_or(0);
        out.message = redact(cut_utf8(formats::text_of(*object, "message").value_or(""), most_message_bytes));
    } else if (const auto metadata = formats::object_of(*object, "metadata")) {
        out.resource_version = formats::text_of(*metadata, "resourceVersion").value_or("");
    }
    use(out, *object);
    return {};
}

}  // namespace gputide::cluster
