// JSON in gputided: documents, parts of the library's reports, and the last reads of metrics.
#pragma once

#include "common/log.hpp"
#include "gputide/gputide.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputided {

using nlohmann::json;
using nlohmann::ordered_json;

// Return a member that the library's reports always contain.
template <class Json>
std::string text_at(const Json& object, const char* member) {
    return object.at(member).template get<std::string>();
}
template <class Json>
std::int64_t integer_at(const Json& object, const char* member) {
    return object.at(member).template get<std::int64_t>();
}
template <class Json>
double number_at(const Json& object, const char* member) {
    return object.at(member).template get<double>();
}

// Returns "namespace/name" of a scaler in a report.
template <class Json>
std::string full_name_in(const Json& scaler) {
    return text_at(scaler, "namespace") + "/" + text_at(scaler, "name");
}

// Returns the numbers of an array; NaN for null.
inline std::vector<double> numbers_in(const json& array) {
    std::vector<double> out;
    for (const json& value : array) out.push_back(value.is_number() ? value.get<double>() : NAN);
    return out;
}

// Returns a text as it is, and any other value as JSON.
template <class Json>
std::string shown(const Json& value) {
    return value.is_string() ? value.template get<std::string>() : value.dump();
}

// Returns the pattern with the object's members in the place of their names.  {pod} is the member as shown() returns it,
// {/samples/busy} that at a JSON pointer.  A form may follow: {cost:.2} has two decimals, {hours:1} at most one as figure() writes
// it, {pods:pod} is "3 pods", {lead_ms:s} is "1.5 s".  Throws a json::exception if a member is missing.
std::string format_members(std::string_view pattern, const json& object);

// As format_members(), but "" if a member of the pattern is missing or null.
std::string format_members_if_known(std::string_view pattern, const json& object);

// Returns JSON in one line.  Replaces bytes that are not UTF-8, such as in file names and in texts that were cut.
template <class Json>
std::string dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Returns a member that is a number; otherwise nothing.
inline std::optional<double> optional_number(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

template <class Number>
ordered_json or_null(const std::optional<Number>& number) {
    return number ? ordered_json(*number) : ordered_json(nullptr);
}

// Returns a replica count, or nothing for any other value.
std::optional<std::int32_t> replica_count(const json& value);

// Returns "path: message: remedy" of a finding, without empty parts.
template <class Json>
std::string finding_text(const Json& finding) {
    const std::string path = finding.value("path", ""), remedy = finding.value("remedy", "");
    return (path.empty() ? "" : path + ": ") + finding.value("message", "") + (remedy.empty() ? "" : ": " + remedy);
}

// Returns "so.yaml:20" of a finding, "so.yaml" if the line is unknown, "" if the file is.
template <class Json>
std::string file_place(const Json& finding) {
    const std::string file = finding.value("file", "");
    const int line = finding.value("line", 0);
    return file.empty() || line <= 0 ? file : file + ":" + std::to_string(line);
}

// Returns "so.yaml:20 path: message: remedy" of a finding, without empty parts.
template <class Json>
std::string located_text(const Json& finding) {
    const std::string place = file_place(finding);
    if (place.empty()) return finding_text(finding);
    return place + (finding.value("path", "").empty() ? ": " : " ") + finding_text(finding);
}

// Functions for JSON that the library wrote, which parse only the part that is needed: a report has some kB, and usually one
// sentence of it is needed.  The text must contain blanks only inside strings.

// Returns the text of a member's value; "" if the object has no such member.
std::string_view json_member(std::string_view object, std::string_view name);

// Returns the texts of an array's elements.
std::vector<std::string_view> json_elements(std::string_view array);

// Returns the content of a JSON string; "" for any other value.
std::string json_text(std::string_view value);
// Returns the sentence of a trace's last step; "" without steps.
std::string last_sentence(const std::vector<std::string_view>& trace);

// Returns the metrics in gputide_scaler_describe or gputide_runtime_describe, with the last read of each (docs/json.md).
json last_reads(std::string_view described);

// Returns place and message of a failed read; "" without an error.  whole: adds the first bytes of the response that caused it,
// which may be confidential: only for the log and for authenticated users.
std::string read_error(const json& read, bool whole);

// Returns the documents of a YAML or JSON text that the library has accepted.  Reads only JSON without libyaml.  Plain scalars
// become numbers, true, false and null as in YAML 1.2; aliases are resolved.
std::vector<ordered_json> documents_of(const std::string& text);

// Errors as JSON for --output json: the members tell the cause, the place and the remedy.

// A rejected manifest, with the report of gputide_manifest_check.
struct manifest_failure : gputide::failure {
    manifest_failure(const gputide_error& error, std::string report_given)
        : gputide::failure(error), report(std::move(report_given)) {}

    std::string report;
};

// Returns {"code","status","message",...}.  For a text with errors it adds code, file, line, column, path and remedy of the first
// error; for a manifest also all findings; for a source where, http_status and service_code.
ordered_json failure_json(const gputide::failure& failure);

// Logs the text, and prints {"error":{...,"exit_status":2}} on stdout if as_json.  Returns the status.
int report_failure(exit_status status, const std::string& text, ordered_json error, bool as_json);

// Logs an error and prints it as report_failure() does; returns the exit status of its kind.  A usage_error is
// {"code":"usage","message":...}, with the file and line if there are any.  An unexpected error has the code "internal".
int report_error(const std::exception& error, bool as_json);

}  // namespace gputided
