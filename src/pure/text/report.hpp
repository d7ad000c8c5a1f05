// Findings of reading a text: errors that stop it, warnings that do not, defaults taken.
// Findings go in by add(); text for a person, JSON for a program or one error for a caller come out.  Prints nothing.
#pragma once

#include "base/error.hpp"
#include "base/place.hpp"
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

// The object that stands in the way of another: both scale one workload, or have one name.
struct conflict {
    std::string object;        // "namespace/name" of the one at the finding's place
    std::string other_object;  // of the one that was read first
    std::string other_file;
};

struct finding {
    text::severity severity = severity::warning;
    std::string code;  // stable, kebab-case: unknown-key, missing-authentication, empty-reads-as-zero, ...
    place at;
    std::string message;                     // what was expected, what came
    std::string remedy;                      // what to do; may be empty
    error_class kind = error_class::config;  // of an error: limit where the manifest is too much of what would be right
    std::optional<text::conflict> conflict = std::nullopt;
};

struct report {
    // A hostile text cannot make a report grow: further warnings are dropped, and errors after as many again.
    static constexpr std::size_t max_findings = 1'000;

    std::vector<finding> findings;
    std::vector<secret_text> values;  // of the environment, put in for ${NAME}: no finding shows them

    // Returns the finding; null where it is dropped or was there already.
    finding* add(severity level, std::string code, place place, std::string message, std::string remedy = {},
                 error_class kind = error_class::config);
    std::size_t count(severity level) const;
    bool full(severity level) const;  // add() would drop one of that level
    // All errors as one (the first one's place and class; further messages joined), or status ok where there is none.
    error as_error() const;
};

// The text without values that came from the environment: each of 4 bytes or more reads "***".
std::string without_values(std::string_view text, const std::vector<secret_text>& values);

// "so.yaml:17:9: warning: threshold 5 is a number, ... (spec.triggers[0].metadata.threshold): write \"5\"", no newline.
std::string render(const finding& entry);

// One line a finding, errors first, then warnings, then notes, each by file and line; "" where there is none.  What is the same
// but for its place is one line: the first place's, and at its end " [and 48 more: b.yaml:11:5, c.yaml:11:5, d.yaml:11:5, ...]".
std::string render(const report& all);

// {"errors":1,"warnings":0,"findings":[{"severity":"error","code":...,"file":...,"line":...,"column":...,"path":...,
// "message":...,"remedy":...}]}, findings in the order found; with "conflict":{"object":...,"other_object":...,"other_file":...} where
// there is one.
void write_json(json_writer& out, const report& all);

}  // namespace gputide::text
