// Diagnoses one manifest: the steps of each trigger up to the first that fails, then the decision.  Reads the network, the
// environment and token files like the triggers; changes nothing.
#pragma once

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/result.hpp"
#include "decide/observation.hpp"
#include "http/client.hpp"
#include "manifest/load.hpp"
#include "pipeline/host.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::doctor {

// The steps of a diagnosis and its report: as values, JSON and text.  Pure.  The other files of this folder produce one or two
// steps each.

enum class verdict : std::int32_t { ok = 0, warning = 1, failed = 2 };

const char* verdict_name(verdict what) noexcept;  // "ok", "warning", "failed"

// The stable names of the steps, in order.
namespace step_name {
inline constexpr std::string_view environment = "environment";
inline constexpr std::string_view token_file = "token_file";
inline constexpr std::string_view authority = "authority";
inline constexpr std::string_view token = "token";
inline constexpr std::string_view proxy = "proxy";
inline constexpr std::string_view endpoint = "endpoint";
inline constexpr std::string_view query = "query";
inline constexpr std::string_view series = "series";
inline constexpr std::string_view value = "value";
inline constexpr std::string_view age = "age";
inline constexpr std::string_view activation = "activation";
inline constexpr std::string_view target = "target";  // the value compared with the target
inline constexpr std::string_view decision = "decision";
inline constexpr std::string_view limits = "limits";
inline constexpr std::string_view formula = "formula";    // the result of scalingModifiers
inline constexpr std::string_view load = "load";          // the size at another load
inline constexpr std::string_view manifest = "manifest";  // warnings of `gputided check` about the whole manifest
}  // namespace step_name

struct step {
    std::string_view name;  // one of step_name, or of cluster_step and kubernetes::right_use_name()
    doctor::verdict verdict = doctor::verdict::ok;
    std::string seen;   // one line
    std::string cause;  // the most likely cause
    std::string fix;
    std::string paste;                                        // lines for a file or a shell, for the fix
    std::vector<std::pair<std::string, std::string>> detail;  // for programs: subject, issuer, labels

    void add_detail(std::string_view key, text_value value);
};

// Views, because a hundred call sites pass literals: a std::string for each would be built there.
step passed(std::string_view name, std::string_view seen);
step doubtful(std::string_view name, std::string_view seen, std::string_view cause, std::string_view fix);
step broken(std::string_view name, std::string_view seen, std::string_view cause, std::string_view fix);

// Returns "1 series", "24 series", "1 day", "3 days".
std::string counted(std::size_t number, std::string_view singular, std::string_view many);

// Returns "a, b and 3 more", with at most `max_count` names.
std::string listed(const std::vector<std::string>& all, std::size_t max_count);

// Quotes a word for a shell unless it needs no quotes.  The text may come from a server and be pasted.
std::string shell_word(const std::string& text);

// Returns "3 days", "5h", "12m", "40s".
std::string about_duration(std::int64_t ms);

struct trigger_report {
    std::string label;  // "trigger 0 (prometheus)"
    std::int32_t index = 0;
    std::string type;
    std::string metric;  // "s0-prometheus"
    std::string asks;    // query or metric
    std::vector<step> steps;
};

struct report {
    std::string name;
    std::string name_space;
    std::vector<trigger_report> triggers;
    std::vector<step> outcome;  // decision, limits
};

verdict worst_of(const std::vector<step>& steps);  // ok without steps
verdict worst_of(const report& report);            // of all steps

// Returns one sentence: the first failed step, else the first warning, else the decision.
std::string conclusion(const report& report);

// Returns {"name","namespace","verdict":"failed","conclusion":"...","triggers":[{"index","type","metric","asks",
// "failed_step":"token"|null,"steps":[{"step","verdict","seen","cause","fix","paste","detail":{}}]}],"outcome":[steps]}.
// Empty members of a step are omitted.
std::string report_json(const report& report);

// Returns the conclusion, the steps of each trigger, and cause and fix of each step that is not ok.
std::string report_lines(const report& report);

// Returns the first step with that verdict, or null.
const step* first_step(const std::vector<step>& steps, verdict verdict);

std::string title(std::string_view name);  // "token_file" → "token file"

// Wraps a text and indents all lines except the first, which begins at `column`.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent);

void add_steps(std::string& out, const std::vector<step>& steps);     // one line each
void add_remedies(std::string& out, const std::vector<step>& steps);  // cause and fix of each step that is not ok

void write_steps(json_writer& json, const std::vector<step>& steps);  // as an array

// The diagnosis.

struct circumstances {
    const decide::observation* seen = nullptr;  // null: now, with the manifest's minimum of replicas
    std::int64_t deadline_ms = 0;               // on the client's steady clock
    const http::cancel_flag* cancel = nullptr;
};

// Returns an error for an invalid manifest (status::invalid, with its places), for several scalers without a chosen name, and for
// a cancellation.  Problems of triggers are in the report.
result<report> examine(const std::vector<manifest::text_file>& files, const pipeline::host_options& host,
                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
