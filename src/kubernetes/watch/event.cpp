#include "kubernetes/watch/event.hpp"

#include "base/json_split.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"

#include <array>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t max_watch_message_bytes = 512;  // of the server's message

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

// Reads the name of an unparsable line's object.  Bookmarks and errors are an error here, because they have no object name.
result<std::optional<unreadable_event>> unreadable_line(const std::string& line, std::string why) {
    unreadable_event out;
    out.object = read_unreadable(member_text(line, "object"), std::move(why));
    const auto what = change_of(plain_member(line, "type"));
    if (!what || *what == change::bookmark || *what == change::error || out.object.key.name.empty())
        return fail(error_class::not_json, "a line of the watch is not a JSON object");
    out.change = *what;
    return std::optional(std::move(out));
}

}  // namespace

result<std::optional<unreadable_event>> read_event(const std::string& line, bool is_cut,
                                                   const std::function<void(const watch_event&, dom::object)>& use) {
    if (is_cut) return unreadable_line(line, too_large_text());
    formats::scratch_use own(line);
    const result<dom::object> parsed = parse_object(*own, line, line);
    if (!parsed) return unreadable_line(line, parsed.failure().message);
    const dom::object root = *parsed;
    const auto type = change_of(formats::text_of(root, "type").value_or(""));
    const auto object = formats::object_of(root, "object");
    if (!type || !object) {
        return fail(error_class::shape, "a line of the watch has no known type, or no object");
    }
    watch_event out;
    out.change = *type;
    if (*type == change::error) {
        out.code = formats::integer_of(*object, "code").value_or(0);
        out.message = redact(cut_utf8(formats::text_of(*object, "message").value_or(""), max_watch_message_bytes));
    } else if (const auto metadata = formats::object_of(*object, "metadata")) {
        out.resource_version = formats::text_of(*metadata, "resourceVersion").value_or("");
    }
    use(out, *object);
    return std::optional<unreadable_event>();
}

void line_cutter::feed(std::string_view bytes, const std::function<void(const std::string&, bool)>& take) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        keep(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(rest_, {});
        const bool is_cut = std::exchange(is_cut_, false);
        if (line.find_first_not_of(" \t\r") != std::string::npos) take(line, is_cut);
    }
    keep(bytes);
}

void line_cutter::keep(std::string_view bytes) {
    const std::size_t free_bytes = max_line_bytes - rest_.size();
    is_cut_ = is_cut_ || bytes.size() > free_bytes;
    rest_.append(bytes.substr(0, free_bytes));
}

}  // namespace gputide::kubernetes
