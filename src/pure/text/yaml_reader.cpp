// YAML by libyaml: builds the tree from libyaml's events, and explains its errors.
#include "base/format_text.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "text/document.hpp"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::text {

// libyaml counts lines and columns from 0.
inline std::int32_t from_one(std::size_t zero_based) { return static_cast<std::int32_t>(zero_based) + 1; }

class tree_builder {
  public:
    // Returns false on an error; failure() has the reason.
    bool take(const yaml_event_t& event);
    std::vector<node> roots;
    std::optional<syntax_error> failure;

  private:
    struct open_collection {
        node at;
        std::string anchor;
        std::optional<node> key;  // of a mapping: the key that waits for its value
        std::size_t nodes_before = 0;
    };
    struct anchored {
        node content;
        std::size_t nodes = 1;
        std::size_t bytes = 0;
    };

    bool refuse(const yaml_event_t& event, std::string message, std::string remedy);
    bool refuse(syntax_error why);
    bool scalar(const yaml_event_t& event);
    bool begin(const yaml_event_t& event, node_kind kind, std::string_view anchor, std::string_view tag);
    bool end();
    bool alias(const yaml_event_t& event);
    bool remember(const node& complete, const std::string& anchor);
    bool place(node value);
    bool merge(node& mapping);

    std::vector<open_collection> open_;
    std::map<std::string, anchored, std::less<>> anchors_;
    budget spent_;
};

// Handles YAML's anchors, aliases, merge keys, tags and nesting, event by event.

namespace {

std::string_view text_of(const yaml_char_t* bytes) {
    return bytes == nullptr ? std::string_view{} : reinterpret_cast<const char*>(bytes);
}

// Effect of a tag on a scalar.
enum class tag_rule { none, text, plain, refused };

tag_rule rule_of(std::string_view tag) {
    if (tag.empty()) return tag_rule::none;
    if (tag == "!" || tag == YAML_STR_TAG) return tag_rule::text;
    static constexpr std::array<std::string_view, 6> core{YAML_NULL_TAG,  YAML_BOOL_TAG, YAML_INT_TAG,
                                                          YAML_FLOAT_TAG, YAML_SEQ_TAG,  YAML_MAP_TAG};
    return std::ranges::find(core, tag) != core.end() ? tag_rule::plain : tag_rule::refused;
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

// Adds a complete value to the innermost open collection, as key or value; outside a collection it is a document.
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

// The copy that an anchor keeps counts towards the limits: otherwise nested anchors could multiply a text.
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
        return refuse(event, format_text("the tag {} is not supported", in_quotes(text_of(from.tag))),
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
        return refuse(event, format_text("the tag {} is not supported", in_quotes(tag)), "remove the tag");
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

// Merges "<<: *base" or "<<: [*a, *b]": adds members that the mapping lacks; the first of several bases wins.
bool tree_builder::merge(node& mapping) {
    const auto at = std::ranges::find_if(mapping.children, [](const node& child) { return child.key == "<<"; });
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
            return refuse(
                {bases.line, bases.column, "<<: expected a mapping or a list of mappings", "write <<: *name"});
        }
        for (node& member : base.children) {
            if (present.emplace(member.key, true).second) mapping.children.push_back(std::move(member));
        }
    }
    if (bases.kind == node_kind::scalar) {
        return refuse({bases.line, bases.column, "<<: expected a mapping or a list of mappings", "write <<: *name"});
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
        return refuse(event, format_text("the alias *{} has no anchor before it", name),
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

// YAML by libyaml's event interface: runs the parser and explains its errors.

namespace {

void wipe_between(unsigned char* first, const unsigned char* last) {
    if (first != nullptr) wipe(first, static_cast<std::size_t>(last - first));
}

// Wipes libyaml's copies of a text before they are freed, because the text may contain Secrets.
struct parser_guard {
    yaml_parser_t parser{};
    bool ready = yaml_parser_initialize(&parser) == 1;
    parser_guard() = default;
    parser_guard(const parser_guard&) = delete;
    parser_guard& operator=(const parser_guard&) = delete;
    ~parser_guard() {
        if (!ready) return;
        wipe_between(parser.raw_buffer.start, parser.raw_buffer.end);
        wipe_between(parser.buffer.start, parser.buffer.end);
        for (const yaml_token_t* token = parser.tokens.head; token != parser.tokens.tail; ++token) {
            if (token->type == YAML_SCALAR_TOKEN) wipe(token->data.scalar.value, token->data.scalar.length);
        }
        yaml_parser_delete(&parser);
    }
};

struct event_guard {
    yaml_event_t event{};
    event_guard() = default;
    event_guard(const event_guard&) = delete;
    event_guard& operator=(const event_guard&) = delete;
    ~event_guard() {
        if (event.type == YAML_SCALAR_EVENT) wipe(event.data.scalar.value, event.data.scalar.length);
        yaml_event_delete(&event);
    }
};

std::string_view line_of(std::string_view text, std::size_t index) {
    for (; index > 0; --index) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

bool tab_indents(std::string_view line) {
    return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

// libyaml's message names the broken rule of the grammar; the remedy names the usual mistakes.
syntax_error from_parser(const yaml_parser_t& parser, std::string_view text) {
    const yaml_mark_t mark = parser.problem_mark;
    syntax_error out{from_one(mark.line), from_one(mark.column), "", ""};
    if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    if (parser.error == YAML_READER_ERROR) {
        const std::string_view before = text.substr(0, parser.problem_offset);
        out.line = from_one(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')));
        out.column = 1;
        out.message = "the text contains a control character that YAML does not allow";
        out.remedy = "delete it, or write it as an escape in double quotes";
        return out;
    }
    for (const std::size_t line : {mark.line, mark.line > 0 ? mark.line - 1 : 0}) {
        if (!tab_indents(line_of(text, line))) continue;
        out.line = from_one(line);
        out.column = from_one(line_of(text, line).find('\t'));
        out.message = "this line is indented with a tab; YAML allows only blanks";
        out.remedy = "replace the tab by blanks";
        return out;
    }
    out.message = std::string("not valid YAML: ") + (parser.problem == nullptr ? "unreadable" : parser.problem);
    if (parser.context != nullptr) out.message += std::string(", ") + parser.context;
    out.remedy =
        "check indentation, colons and quotes of this line and the one before; quote a value that holds \": \" or "
        "starts with one of { [ * & % @ `";
    return out;
}

}  // namespace

read_text read_yaml(std::string_view text) {
    read_text out;
    parser_guard guard;
    if (!guard.ready) throw std::bad_alloc();
    yaml_parser_set_encoding(&guard.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&guard.parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());

    tree_builder tree;
    for (bool more = true; more;) {
        event_guard next;
        if (yaml_parser_parse(&guard.parser, &next.event) != 1) {
            out.failure = from_parser(guard.parser, text);
            return out;
        }
        if (!tree.take(next.event)) {
            out.failure = std::move(tree.failure);
            return out;
        }
        more = next.event.type != YAML_STREAM_END_EVENT;
    }
    out.roots = std::move(tree.roots);
    return out;
}

}  // namespace gputide::text
