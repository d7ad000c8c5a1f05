// One step of a diagnosis, as a value: what was looked at, what was seen, and, where that is not good, why and what to do.
// Each step has a file beside this one with what must be seen for it and a pure function that judges it.
#pragma once

#include "base/json_writer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::doctor {

enum class verdict : std::int32_t { ok = 0, warning = 1, failed = 2 };

const char* verdict_name(verdict what) noexcept;  // "ok", "warning", "failed"

// The stable words for the steps, in the order in which they are walked; each has a file beside this one.
namespace step_name {
inline constexpr const char* environment = "environment";
inline constexpr const char* token_file = "token_file";
inline constexpr const char* authority = "authority";
inline constexpr const char* token = "token";
inline constexpr const char* endpoint = "endpoint";
inline constexpr const char* query = "query";
inline constexpr const char* series = "series";
inline constexpr const char* value = "value";
inline constexpr const char* age = "age";
inline constexpr const char* activation = "activation";
inline constexpr const char* target = "target";  // what the number means against it
inline constexpr const char* decision = "decision";
inline constexpr const char* limits = "limits";
inline constexpr const char* load = "load";          // what the size would be at another load
inline constexpr const char* manifest = "manifest";  // what check warns of beside the metrics
}  // namespace step_name

struct step {
    std::string name;  // one of step_name
    doctor::verdict verdict = doctor::verdict::ok;
    std::string seen;   // one line
    std::string cause;  // the likely one
    std::string fix;
    std::string paste;                                        // lines for a file or a shell that the fix speaks of
    std::vector<std::pair<std::string, std::string>> detail;  // what a program may want: subject, issuer, labels
};

step passed(std::string name, std::string seen);
step doubtful(std::string name, std::string seen, std::string cause, std::string fix);
step broken(std::string name, std::string seen, std::string cause, std::string fix);

// "1 series", "24 series", "1 day", "3 days": `many` where it differs from the noun itself.
std::string counted(std::size_t number, const std::string& one, const std::string& many);

// "a, b and 3 more": at most `most` of them.
std::string listed(const std::vector<std::string>& all, std::size_t most);

// A word of a shell's command line: quoted where it is not plain.  What comes from a peer may be pasted there.
std::string shell_word(const std::string& text);

// "3 days", "5h", "12m", "40s": one unit, for people.
std::string about_duration(std::int64_t ms);

// A diagnosis as a value, as JSON for a program and as lines for a person.  Pure.

struct trigger_report {
    std::string label;  // "trigger 0 (prometheus)"
    std::int32_t index = 0;
    std::string type;
    std::string metric;  // "s0-prometheus"
    std::string asks;    // its query or metric
    std::vector<step> steps;
};

struct report {
    std::string name;
    std::string name_space;
    std::vector<trigger_report> triggers;
    std::vector<step> outcome;  // decision, limits
};

// The worst step of all; outcome included.
verdict worst_of(const report& report);

// One sentence: the first step that failed, else the first warning, else what would be done.
std::string conclusion(const report& report);

// {"name","namespace","verdict":"failed","conclusion":"...","triggers":[{"index","type","metric","asks","failed_step":
// "token"|null,"steps":[{"step","verdict","seen","cause","fix","paste","detail":{}}]}],"outcome":[steps]}; what is empty is
// left out of a step.
std::string report_json(const report& report);

// The conclusion first, then the steps of each trigger, then cause and fix of every step that is not well.
std::string report_lines(const report& report);

// Steps as JSON for a program and as lines for a person: what every report of this room is made of.  Pure.

// The first of that verdict; null: none.
const step* first_step(const std::vector<step>& steps, verdict verdict);

std::string title(std::string name);  // "token_file" → "token file"

// Words on lines of a person's width; every line but the first is indented.  column: where the first one begins.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent);

void add_steps(std::string& out, const std::vector<step>& steps);     // a line each
void add_remedies(std::string& out, const std::vector<step>& steps);  // cause and fix of what is not well

void write_steps(json_writer& json, const std::vector<step>& steps);  // an array

}  // namespace gputide::doctor
