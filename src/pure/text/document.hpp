// Parses a text, YAML or JSON, into a tree.  A node has its line and whether it was quoted, so every later message can name
// the line.  Does not depend on manifests.
//
// YAML: several documents, block and flow style, anchors and merge keys (<<).  Expanded aliases count towards the limits of
// nodes and bytes.  Plain scalars follow the core schema of YAML 1.2; other tags are rejected.
// JSON: one document.  Duplicate keys are rejected in both.
#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {

enum class node_kind : std::int32_t { scalar = 0, sequence = 1, mapping = 2 };

// The text may be that of a Secret: the destructor wipes it, also in a moved-from node, because moving a short string copies
// it.
struct node {
    node() = default;
    node(const node&) = default;
    node(node&&) noexcept = default;
    node& operator=(const node&) = default;
    node& operator=(node&&) noexcept = default;
    ~node();

    node_kind kind = node_kind::scalar;
    bool quoted = false;       // a string whatever it looks like: quoted, block text, or a JSON string
    bool substituted = false;  // ${NAME} was replaced in it
    std::int32_t line = 0;     // of the key in a mapping, else of the value; from 1
    std::int32_t column = 0;
    std::string key;   // name in a mapping
    std::string text;  // of a scalar
    std::vector<node> children;

    const node* find(std::string_view name) const;  // member of a mapping; nullptr: none
};

struct document {
    std::string file;
    node root;
    bool is_literal = false;  // ${NAME} is not replaced
};

// Returns the type of a plain scalar in the core schema; a quoted scalar is always text.
enum class scalar_type : std::int32_t { null = 0, boolean = 1, integer = 2, floating = 3, text = 4 };
scalar_type type_of(const node& scalar);
bool is_null(const node& value);
std::string_view kind_name(const node& value);  // for messages: "a mapping", "a list", "a number", "text", ...

// Tells whether a member is left out of the tree.  within: the key of the mapping that has it, or of the list that holds this
// mapping; "" at the top.
using member_filter = bool (*)(std::string_view within, std::string_view member);

// Parses all documents of a text; empty documents are left out.  A parse error is one finding and returns no document.
// is_unused: of JSON, members that the caller never reads; they take no memory and nearly no time.  nullptr: none.
std::vector<document> read_documents(const std::string& file, std::string_view text, report& findings,
                                     member_filter is_unused = nullptr);

// ---- for the two readers ----------------------------------------------------------------------------------------------

// A rejected text with the position and the reason.
struct syntax_error {
    std::int32_t line = 0;
    std::int32_t column = 0;
    std::string message;
    std::string remedy;
    error_class kind = error_class::config;
};

// Counts the nodes and bytes of a text, aliases expanded.
struct budget {
    std::size_t nodes = 0;
    std::size_t bytes = 0;

    // Returns false if a limit is exceeded: limits::manifest_nodes, or four times limits::manifest_bytes of text.
    bool spend(std::size_t more_nodes, std::size_t more_bytes);
};

syntax_error too_large(std::int32_t line, std::int32_t column);
syntax_error too_deep(std::int32_t line, std::int32_t column);

// Returns the second of two members with one name, or a key longer than max_key_bytes.  Only an attack has such a key; the
// limit bounds messages, because their paths repeat keys.
inline constexpr std::size_t max_key_bytes = 512;
std::optional<syntax_error> find_bad_key(const node& mapping);

// Result of a reader.
struct read_text {
    std::vector<node> roots;
    std::optional<syntax_error> failure;
};
read_text read_json(std::string_view text, member_filter is_unused = nullptr);
#if defined(GPUTIDE_YAML)
read_text read_yaml(std::string_view text);
#endif

}  // namespace gputide::text
