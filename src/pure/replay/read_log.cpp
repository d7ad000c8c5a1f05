#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "replay/recording.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

namespace gputide::replay {
namespace {

namespace dom = simdjson::dom;
constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

std::string text_of(dom::element object, const char* member) {
    std::string_view out;
    return object[member].get(out) == simdjson::SUCCESS ? std::string(out) : std::string();
}

std::optional<std::int32_t> count_of(dom::element object, const char* member) {
    std::int64_t out = 0;
    if (object[member].get(out) != simdjson::SUCCESS || out < 0 || out > 2'147'483'647) return std::nullopt;
    return static_cast<std::int32_t>(out);
}

bool flag_of(dom::element object, const char* member) {
    bool out = false;
    return object[member].get(out) == simdjson::SUCCESS && out;
}

std::size_t track_named(recording& recording, std::string_view name) {
    for (std::size_t i = 0; i < recording.metrics.size(); ++i)
        if (recording.metrics[i].name == name) return i;
    recording.metrics.push_back({std::string(name), {}});
    return recording.metrics.size() - 1;
}

std::optional<sample_state> sample_state_named(std::string_view word) {
    for (std::size_t i = 0; i < sample_state_names.size(); ++i)
        if (sample_state_names[i] == word) return static_cast<sample_state>(i);
    return std::nullopt;
}

// Reads a "metric" step: the value that was read.  A value that replaced a missing one counts as missing.
result<void> take_metric(dom::element step, std::int64_t time_ms, std::int64_t line, recording& recording) {
    const std::string name = text_of(step, "metric");
    if (name.empty()) return at_line(line, "the metric step has no member \"metric\", which names the trigger");
    const std::optional<sample_state> read = sample_state_named(text_of(step, "state"));
    if (!read) return at_line(line, name + ": unknown state; expected a state name such as \"ok\" or \"empty\"");
    const std::size_t metric = track_named(recording, name);
    if (metric >= max_metrics) return at_line(line, format_text("more than {} metrics", max_metrics));
    if (*read != sample_state::ok) return add_missing(recording, metric, time_ms, *read);
    if (flag_of(step, "null_as_zero")) return add_missing(recording, metric, time_ms, sample_state::empty);
    double value = 0.0;
    if (step["value"].get(value) != simdjson::SUCCESS) return at_line(line, name + ": a value is missing");
    return add_point(recording, metric, time_ms, value);
}

result<bool> take_metrics(dom::element report, std::int64_t time_ms, std::int64_t line, recording& recording) {
    dom::array steps;
    bool any = false;
    if (report["trace"].get(steps) != simdjson::SUCCESS) return any;
    for (dom::element step : steps) {
        if (text_of(step, "step") != "metric") continue;
        any = true;
        if (result<void> ok = take_metric(step, time_ms, line, recording); !ok) return ok.take_failure();
    }
    return any;
}

result<void> take_decision(dom::element report, std::int64_t line, recording& recording) {
    logged_decision decision;
    const auto time_ms = parse_rfc3339(text_of(report, "time"));
    const auto current = count_of(report, "current_replicas");
    const auto desired = count_of(report, "desired_replicas");
    const auto proposed = count_of(report, "proposed_replicas");
    if (!time_ms || !current || !desired || !proposed)
        return at_line(line, "expected time, current_replicas, desired_replicas and proposed_replicas of a decision");
    decision.time_ms = *time_ms;
    decision.current = *current;
    decision.desired = *desired;
    decision.proposed = *proposed;
    decision.status = count_of(report, "status_replicas").value_or(-1);
    decision.ready = count_of(report, "ready_replicas").value_or(-1);
    decision.limited_by = text_of(report, "limited_by");
    decision.source = text_of(report, "source");
    if (decision.limited_by == "not_due") {
        ++recording.notes.skipped_lines;
        return {};
    }
    result<bool> any = take_metrics(report, decision.time_ms, line, recording);
    if (!any) return any.take_failure();
    if (result<void> ok = add_size(recording, decision.time_ms, decision.current); !ok) return ok;
    recording.decisions.push_back(std::move(decision));
    return {};
}

// Parses the record of a completed write. Its time starts the windows of the rate limits:
// {"time":...,"write":{"replicas":5,"applied":true}}.
void take_write(dom::element line, dom::element write, recording& recording) {
    const auto time_ms = parse_rfc3339(text_of(line, "time"));
    const auto replicas = count_of(write, "replicas");
    if (!time_ms || !replicas || !flag_of(write, "applied") || recording.decisions.empty()) return;
    logged_decision& last = recording.decisions.back();
    if (last.desired == *replicas && *time_ms >= last.time_ms) last.written_ms = *time_ms;
}

}  // namespace

bool looks_like_log(std::string_view text) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    return !trim(line).empty() && trim(line).front() == '{' &&
           (line.find("\"desired_replicas\"") != std::string_view::npos ||
            line.find("\"write\"") != std::string_view::npos);
}

result<void> read_log(std::string_view text, std::string_view name, recording& recording) {
    if (text.size() > max_text_bytes)
        return fail(status::limit, "series: more than {} MiB of text", max_text_bytes >> 20);
    dom::parser parser;
    std::string wanted(name);
    for (std::int64_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const bool unfinished = end == std::string_view::npos;
        const std::string_view line = text.substr(0, unfinished ? text.size() : end);
        text.remove_prefix(unfinished ? text.size() : end + 1);
        if (trim(line).empty()) continue;
        if (line.size() > max_line_bytes) return at_line(number, "longer than 1 MiB");
        dom::element report;
        if (parse_json(parser, line, report) != simdjson::SUCCESS || !report.is_object()) {
            if (unfinished && number > 1) {
                ++recording.notes.skipped_lines;
                break;
            }
            return at_line(number,
                           "expected a decision of gputided run as one JSON object, got " + in_quotes(line, 60));
        }
        const std::string whose = text_of(report, "namespace") + "/" + text_of(report, "name");
        if (wanted.empty()) wanted = whose;
        if (whose != wanted) {
            ++recording.notes.skipped_lines;
            continue;
        }
        dom::element write;
        if (report["write"].get(write) == simdjson::SUCCESS && write.is_object()) {
            take_write(report, write, recording);
            continue;
        }
        recording.is_part_of_log = recording.is_part_of_log || !text_of(report, "log").empty();
        if (result<void> ok = take_decision(report, number, recording); !ok) return ok;
    }
    return {};
}

}  // namespace gputide::replay
