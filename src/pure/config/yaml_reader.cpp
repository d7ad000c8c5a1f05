// YAML by libyaml's event interface: runs the parser, and says what it refuses in words that help.
#include "base/secret.hpp"
#include "config/yaml_tree.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace gputide::config {
namespace {

void wipe_between(unsigned char* first, const unsigned char* last) {
    if (first != nullptr) wipe(first, static_cast<std::size_t>(last - first));
}

// What libyaml keeps of a text, of which some are Secrets, is wiped before it is freed.
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

// libyaml's own words say what the grammar missed; the remedy says what people usually did.
syntax_error from_parser(const yaml_parser_t& parser, std::string_view text) {
    const yaml_mark_t mark = parser.problem_mark;
    syntax_error out{from_one(mark.line), from_one(mark.column), "", ""};
    if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    if (parser.error == YAML_READER_ERROR) {
        const std::string_view before = text.substr(0, parser.problem_offset);
        out.line = from_one(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')));
        out.column = 1;
        out.message = "the text holds a control character that YAML does not allow";
        out.remedy = "delete it, or write it as an escape in double quotes";
        return out;
    }
    for (const std::size_t line : {mark.line, mark.line > 0 ? mark.line - 1 : 0}) {
        if (!tab_indents(line_of(text, line))) continue;
        out.line = from_one(line);
        out.column = from_one(line_of(text, line).find('\t'));
        out.message = "a tab indents this line, YAML takes blanks only";
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

}  // namespace gputide::config
