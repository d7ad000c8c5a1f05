// Findings from reading a text: errors, which stop the reading, warnings and applied defaults, which do not. add() collects
// findings; they are returned as text, as JSON or as one error.  Prints nothing.
#pragma once

#include "base/error.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {
class json_writer;
}

namespace gputide::text {

enum class severity : std::int32_t { note = 0, warning = 1, error = 2 };

std::string_view severity_name(severity level);  // "note", "warning", "error"

// A conflict of two objects: both scale one workload, or both have one name.
struct conflict {
    std::string object;        // "namespace/name" of the object at the finding's place
    std::string other_object;  // the object that was read first
    std::string other_file;
};

struct finding {
    text::severity severity = severity::warning;
    std::string code;  // stable, kebab-case: unknown-key, missing-authentication, empty-reads-as-zero, ...
    place at;
    std::string message;                     // what was expected, what was found
    std::string remedy;                      // what to do; may be empty
    error_class kind = error_class::config;  // of an error; limit: the manifest is valid but too large
    std::optional<text::conflict> conflict = std::nullopt;
};

struct report {
    // Limits the size of a report of a hostile text: further warnings are dropped; errors are dropped after twice as many
    // findings.
    static constexpr std::size_t max_findings = 1'000;

    std::vector<finding> findings;
    std::vector<secret_text> values;  // substituted for ${NAME}; removed from every finding

    // Returns the finding; null if it is dropped or a duplicate.
    finding* add(severity level, std::string_view code, place place, std::string_view message,
                 std::string_view remedy = {}, error_class kind = error_class::config);
    std::size_t count(severity level) const;
    bool full(severity level) const;  // add() would drop a finding of that level
    // Joins all errors into one, with the place, class, code, message and remedy of the first; status ok if there are no errors.
    error as_error() const;
};

// Returns the text without values from the environment: each value of 4 bytes or more becomes "***".
std::string without_values(std::string_view text, const std::vector<secret_text>& values);

// Formats a finding: "so.yaml:17:9: warning: threshold 5 is a number, ... (spec.triggers[0].metadata.threshold): write
// \"5\"", no newline.
std::string render(const finding& entry);

// Formats one line per finding: errors, then warnings, then notes, each sorted by file and line; "" without findings.
// Findings that differ only in their place share a line: the first place, and at the end " [and 48 more: b.yaml:11:5,
// c.yaml:11:5, d.yaml:11:5, ...]".
std::string render(const report& all);

// Writes {"errors":1,"warnings":0,"findings":[{"severity":"error","code":...,"file":...,"line":...,"column":...,"path":...,
// "message":...,"remedy":...}]}, in the order of add(); a conflict adds
// "conflict":{"object":...,"other_object":...,"other_file":...}.
void write_json(json_writer& out, const report& all);

}  // namespace gputide::text
