// The limits and checks of the tree, and the choice between the two readers.
#include "text/document.hpp"

#include "base/format_text.hpp"
#include "base/secret.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::text {
namespace {

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, text) != words.end();
}

std::string_view without_sign(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    return text;
}

bool all_of(std::string_view text, std::string_view allowed) {
    return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_core_integer(std::string_view text) {
    if (text.substr(0, 2) == "0x") return all_of(text.substr(2), "0123456789abcdefABCDEF");
    if (text.substr(0, 2) == "0o") return all_of(text.substr(2), "01234567");
    return all_of(without_sign(text), "0123456789");
}

// Matches [-+]? ( .digits | digits [. digits?] ) [ (e|E) [-+]? digits ], or .inf / .nan.
bool is_core_float(std::string_view text) {
    static constexpr std::array<std::string_view, 3> infinities{".inf", ".Inf", ".INF"};
    static constexpr std::array<std::string_view, 3> nans{".nan", ".NaN", ".NAN"};
    if (one_of(text, nans) || one_of(without_sign(text), infinities)) return true;
    text = without_sign(text);
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent != std::string_view::npos) {
        if (!all_of(without_sign(text.substr(exponent + 1)), "0123456789")) return false;
        text = text.substr(0, exponent);
    }
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
    if (whole.empty() && fraction.empty()) return false;
    return (whole.empty() || all_of(whole, "0123456789")) && (fraction.empty() || all_of(fraction, "0123456789"));
}

// Returns line and column of the first byte that is not UTF-8; nothing if the text is valid.
std::optional<syntax_error> find_bad_utf8(std::string_view text) {
    if (valid_utf8(text)) return std::nullopt;
    syntax_error out{1, 1, "the text is not valid UTF-8 here", "save the file as UTF-8"};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = utf8_sequence_size(text.substr(at));
        if (size == 0) break;
        if (text[at] == '\n') {
            ++out.line;
            out.column = 0;
        }
        ++out.column;
        at += size;
    }
    return out;
}

bool looks_like_json(std::string_view text) {
    const std::string_view start = trim(text);
    return !start.empty() && (start.front() == '{' || start.front() == '[');
}

#if defined(GPUTIDE_YAML)
// Recognizes {" [" {} [{ [[ []: selects which reader's error is returned if both readers fail.
bool starts_a_json_value(std::string_view text) {
    const std::string_view inside = trim(trim(text).substr(1));
    return inside.empty() || std::string_view("\"{}[]").find(inside.front()) != std::string_view::npos;
}
#endif

// Reads a text that starts like JSON as JSON; if that fails, it may still be a YAML flow mapping such as "{kind: List}".
read_text read_any(std::string_view text, member_filter is_unused) {
#if defined(GPUTIDE_YAML)
    if (!looks_like_json(text)) return read_yaml(text);
    read_text json = read_json(text, is_unused);
    if (!json.failure) return json;
    read_text yaml = read_yaml(text);
    return yaml.failure && starts_a_json_value(text) ? std::move(json) : std::move(yaml);
#else
    if (looks_like_json(text)) return read_json(text, is_unused);
    read_text out;
    out.failure =
        syntax_error{1, 1, "expected JSON text that starts with '{'",
                     "this build of the library does not read YAML: give the manifest as JSON, or build it with "
                     "GPUTIDE_YAML=ON"};
    return out;
#endif
}

read_text refused(syntax_error why) {
    read_text out;
    out.failure = std::move(why);
    return out;
}

read_text read_within_limits(std::string_view text, member_filter is_unused) {
    if (text.size() > limits::manifest_bytes) {
        return refused({0, 0,
                        format_text("the text has {} bytes, at most {} are read", text.size(), limits::manifest_bytes),
                        "split it into several files", error_class::limit});
    }
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    if (std::optional<syntax_error> bad = find_bad_utf8(text)) return refused(std::move(*bad));
    if (trim(text).empty()) return {};
    read_text out = read_any(text, is_unused);
    // An unrendered Helm template usually has placeholders outside quotes, which are not valid YAML.
    if (out.failure && text.find("{{") != std::string_view::npos) {
        out.failure->message += "; {{ ... }} is a Helm template that was not rendered";
        out.failure->remedy = "check what `helm template` prints";
    }
    return out;
}

}  // namespace

node::~node() { wipe(text); }

const node* node::find(std::string_view name) const {
    if (kind != node_kind::mapping) return nullptr;
    for (const node& child : children) {
        if (child.key == name) return &child;
    }
    return nullptr;
}

scalar_type type_of(const node& scalar) {
    static constexpr std::array<std::string_view, 5> nulls{"", "~", "null", "Null", "NULL"};
    static constexpr std::array<std::string_view, 6> booleans{"true", "True", "TRUE", "false", "False", "FALSE"};
    if (scalar.quoted) return scalar_type::text;
    if (one_of(scalar.text, nulls)) return scalar_type::null;
    if (one_of(scalar.text, booleans)) return scalar_type::boolean;
    if (is_core_integer(scalar.text)) return scalar_type::integer;
    return is_core_float(scalar.text) ? scalar_type::floating : scalar_type::text;
}

bool is_null(const node& value) { return value.kind == node_kind::scalar && type_of(value) == scalar_type::null; }

std::string_view kind_name(const node& value) {
    if (value.kind == node_kind::mapping) return "a mapping";
    if (value.kind == node_kind::sequence) return "a list";
    switch (type_of(value)) {
        case scalar_type::null:
            return "nothing";
        case scalar_type::boolean:
            return "a boolean";
        case scalar_type::integer:
        case scalar_type::floating:
            return "a number";
        case scalar_type::text:
            return "text";
    }
    return "text";
}

bool budget::spend(std::size_t more_nodes, std::size_t more_bytes) {
    nodes += more_nodes;
    bytes += more_bytes;
    return nodes <= limits::manifest_nodes && bytes <= 4 * limits::manifest_bytes;
}

syntax_error too_large(std::int32_t line, std::int32_t column) {
    return {line, column,
            format_text("the text has more than {} values or {} bytes here, with expanded aliases",
                        limits::manifest_nodes, 4 * limits::manifest_bytes),
            "split it, or use fewer aliases", error_class::limit};
}

syntax_error too_deep(std::int32_t line, std::int32_t column) {
    return {line, column, format_text("more than {} levels of nesting", limits::manifest_depth),
            "no manifest needs this depth: look for a bracket that is never closed", error_class::limit};
}

namespace {

// Compares each pair, which is faster than sorting for the few members that most mappings have.
bool has_few_and_different_keys(const node& mapping) {
    constexpr std::size_t few = 16;
    const std::vector<node>& members = mapping.children;
    if (members.size() > few) return false;
    for (std::size_t i = 1; i < members.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (members[i].key == members[k].key) return false;
        }
    }
    return true;
}

}  // namespace

std::optional<syntax_error> find_bad_key(const node& mapping) {
    const auto endless =
        std::ranges::find_if(mapping.children, [](const node& child) { return child.key.size() > max_key_bytes; });
    if (endless != mapping.children.end()) {
        return syntax_error{endless->line, endless->column,
                            format_text("a key of {} bytes, at most {} are read", endless->key.size(), max_key_bytes),
                            "look for a missing colon or quote", error_class::limit};
    }
    if (has_few_and_different_keys(mapping)) return std::nullopt;
    std::vector<const node*> sorted;
    sorted.reserve(mapping.children.size());
    for (const node& child : mapping.children) sorted.push_back(&child);
    sort_stably(sorted, [](const node* a, const node* b) { return a->key < b->key; });
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(), [](const node* a, const node* b) { return a->key == b->key; });
    if (twice == sorted.end()) return std::nullopt;
    const node& second = **(twice + 1);
    return syntax_error{second.line, second.column,
                        format_text("the key {} is repeated in this mapping; it is first in line {}",
                                    in_quotes(second.key), (*twice)->line),
                        "keep one of them"};
}

std::vector<document> read_documents(const std::string& file, std::string_view text, report& findings,
                                     member_filter is_unused) {
    read_text read = read_within_limits(text, is_unused);
    if (read.failure) {
        findings.add(severity::error, "syntax", {file, read.failure->line, read.failure->column, ""},
                     std::move(read.failure->message), std::move(read.failure->remedy), read.failure->kind);
        return {};
    }
    std::vector<document> out;
    for (node& root : read.roots) {
        if (!is_null(root)) out.push_back({file, std::move(root)});
    }
    return out;
}

}  // namespace gputide::text
