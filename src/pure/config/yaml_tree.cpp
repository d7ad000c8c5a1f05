// Anchors, aliases, merge keys, tags and nesting of YAML, event by event.
#include "config/yaml_tree.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::config {
namespace {

std::string_view text_of(const yaml_char_t* bytes) {
    return bytes == nullptr ? std::string_view{} : reinterpret_cast<const char*>(bytes);
}

// What a tag makes of a scalar.
enum class tag_rule { none, text, plain, refused };

tag_rule rule_of(std::string_view tag) {
    if (tag.empty()) return tag_rule::none;
    if (tag == "!" || tag == YAML_STR_TAG) return tag_rule::text;
    static constexpr std::array<std::string_view, 6> core{YAML_NULL_TAG,  YAML_BOOL_TAG, YAML_INT_TAG,
                                                          YAML_FLOAT_TAG, YAML_SEQ_TAG,  YAML_MAP_TAG};
    return std::find(core.begin(), core.end(), tag) != core.end() ? tag_rule::plain : tag_rule::refused;
}
node node_at(const yaml_event_t& event, node_kind kind) {
    node out;
    out.kind = kind;
    out.line = from_one(event.start_mark.line);
    out.column = from_one(event.start_mark.column);
    return out;
}

void measure(const node& parent, std::size_t& nodes, std::size_t& bytes) {
    ++nodes;
    bytes += parent.key.size() + parent.text.size();
    for (const node& child : parent.children) measure(child, nodes, bytes);
}

std::size_t depth_of(const node& parent) {
    std::size_t deepest = 0;
    for (const node& child : parent.children) deepest = std::max(deepest, depth_of(child));
    return deepest + 1;
}

}  // namespace

bool tree_builder::refuse(syntax_error why) {
    failure = std::move(why);
    return false;
}

bool tree_builder::refuse(const yaml_event_t& event, std::string message, std::string remedy) {
    return refuse(
        {from_one(event.start_mark.line), from_one(event.start_mark.column), std::move(message), std::move(remedy)});
}

// A finished value goes into the innermost open collection, as key or as value; without one it is a document.
bool tree_builder::place(node value) {
    if (open_.empty()) {
        roots.push_back(std::move(value));
        return true;
    }
    open_collection& parent = open_.back();
    if (parent.at.kind == node_kind::sequence) {
        parent.at.children.push_back(std::move(value));
        return true;
    }
    if (!parent.key) {
        if (value.kind != node_kind::scalar) {
            return refuse({value.line, value.column, "a key must be text, not a list or a mapping",
                           "write the key as plain text; in a flow mapping quote ${...}"});
        }
        parent.key = std::move(value);
        return true;
    }
    value.key = std::move(parent.key->text);
    value.line = parent.key->line;
    value.column = parent.key->column;
    parent.key.reset();
    parent.at.children.push_back(std::move(value));
    return true;
}

// The copy that an anchor keeps counts as well: nested anchors would otherwise keep a text many times over.
bool tree_builder::remember(const node& complete, const std::string& anchor) {
    if (anchor.empty()) return true;
    anchored kept;
    kept.nodes = 0;
    measure(complete, kept.nodes, kept.bytes);
    if (!spent_.spend(kept.nodes, kept.bytes)) return refuse(too_large(complete.line, complete.column));
    kept.content = complete;
    anchors_[anchor] = std::move(kept);
    return true;
}

bool tree_builder::scalar(const yaml_event_t& event) {
    const auto& from = event.data.scalar;
    const tag_rule rule = rule_of(text_of(from.tag));
    if (rule == tag_rule::refused) {
        return refuse(event, format_text("the tag {} is not understood", in_quotes(text_of(from.tag))),
                      "remove the tag; plain and quoted values are all that a manifest needs");
    }
    node out = node_at(event, node_kind::scalar);
    const std::string_view content(reinterpret_cast<const char*>(from.value), from.length);
    if (!spent_.spend(1, content.size())) return refuse(too_large(out.line, out.column));
    out.text = content;
    out.quoted = rule == tag_rule::text || (rule == tag_rule::none && from.style != YAML_PLAIN_SCALAR_STYLE);
    return remember(out, std::string(text_of(from.anchor))) && place(std::move(out));
}

bool tree_builder::begin(const yaml_event_t& event, node_kind kind, std::string_view anchor, std::string_view tag) {
    if (rule_of(tag) == tag_rule::refused) {
        return refuse(event, format_text("the tag {} is not understood", in_quotes(tag)), "remove the tag");
    }
    if (open_.size() >= limits::manifest_depth) {
        return refuse(too_deep(from_one(event.start_mark.line), from_one(event.start_mark.column)));
    }
    open_collection next;
    next.at = node_at(event, kind);
    next.anchor = anchor;
    if (!spent_.spend(1, 0)) return refuse(too_large(next.at.line, next.at.column));
    open_.push_back(std::move(next));
    return true;
}

// "<<: *base" or "<<: [*a, *b]": members that the mapping does not have itself; of several the first one wins.
bool tree_builder::merge(node& mapping) {
    const auto at = std::find_if(mapping.children.begin(), mapping.children.end(),
                                 [](const node& child) { return child.key == "<<"; });
    if (at == mapping.children.end()) return true;
    node bases = std::move(*at);
    mapping.children.erase(at);
    if (bases.kind == node_kind::mapping) {
        node single = std::move(bases);
        bases = node{};
        bases.line = single.line;
        bases.column = single.column;
        bases.kind = node_kind::sequence;
        bases.children.push_back(std::move(single));
    }
    std::map<std::string, bool, std::less<>> present;
    for (const node& child : mapping.children) present[child.key] = true;
    for (node& base : bases.children) {
        if (base.kind != node_kind::mapping) {
            return refuse({bases.line, bases.column, "<< takes a mapping or a list of mappings", "write <<: *name"});
        }
        for (node& member : base.children) {
            if (present.emplace(member.key, true).second) mapping.children.push_back(std::move(member));
        }
    }
    if (bases.kind == node_kind::scalar) {
        return refuse({bases.line, bases.column, "<< takes a mapping or a list of mappings", "write <<: *name"});
    }
    return true;
}

bool tree_builder::end() {
    open_collection done = std::move(open_.back());
    open_.pop_back();
    if (done.at.kind == node_kind::mapping) {
        if (std::optional<syntax_error> bad = find_bad_key(done.at)) return refuse(std::move(*bad));
        if (!merge(done.at)) return false;
    }
    return remember(done.at, done.anchor) && place(std::move(done.at));
}

bool tree_builder::alias(const yaml_event_t& event) {
    const std::string_view name = text_of(event.data.alias.anchor);
    const auto at = anchors_.find(name);
    if (at == anchors_.end()) {
        return refuse(event, format_text("the alias *{} names no anchor that stands before it", name),
                      format_text("define it with &{} first; quote the value if a star was meant", name));
    }
    const std::int32_t line = from_one(event.start_mark.line);
    const std::int32_t column = from_one(event.start_mark.column);
    if (!spent_.spend(at->second.nodes, at->second.bytes)) return refuse(too_large(line, column));
    if (open_.size() + depth_of(at->second.content) > limits::manifest_depth + 1) return refuse(too_deep(line, column));
    node copy = at->second.content;
    copy.key.clear();
    copy.line = line;
    copy.column = column;
    return place(std::move(copy));
}

bool tree_builder::take(const yaml_event_t& event) {
    switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
            anchors_.clear();
            return true;
        case YAML_SCALAR_EVENT:
            return scalar(event);
        case YAML_ALIAS_EVENT:
            return alias(event);
        case YAML_SEQUENCE_START_EVENT:
            return begin(event, node_kind::sequence, text_of(event.data.sequence_start.anchor),
                         text_of(event.data.sequence_start.tag));
        case YAML_MAPPING_START_EVENT:
            return begin(event, node_kind::mapping, text_of(event.data.mapping_start.anchor),
                         text_of(event.data.mapping_start.tag));
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            return end();
        default:
            return true;
    }
}

}  // namespace gputide::config
