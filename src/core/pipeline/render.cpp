#include "pipeline/render.hpp"

#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/plain_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::pipeline {
namespace {

namespace dom = simdjson::dom;

std::string text_of(dom::element object, const char* member) {
    std::string_view out;
    return object[member].get(out) == simdjson::SUCCESS ? plain_line(std::string(out)) : std::string();
}

std::string number_of(dom::element object, const char* member) {
    std::int64_t out = 0;
    return object[member].get(out) == simdjson::SUCCESS ? std::to_string(out) : std::string("?");
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text + "  ";
}

using row = std::array<std::string, 4>;

// As `kubectl describe` lays them out.
void add_conditions(std::string& out, dom::array conditions) {
    std::vector<row> rows{{"Type", "Status", "Reason", "Message"}, {"----", "------", "------", "-------"}};
    for (dom::element one : conditions) {
        rows.push_back({text_of(one, "type"), text_of(one, "status"), text_of(one, "reason"), text_of(one, "message")});
    }
    std::array<std::size_t, 3> widths{};
    for (const row& one : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], one[i].size());
    }
    out += "Conditions:\n";
    for (const row& one : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < widths.size(); ++i) line += padded(one[i], widths[i]);
        line += one.back();
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

std::string headline(dom::element report) {
    std::string out =
        format_text("{}/{} at {}: ", text_of(report, "namespace"), text_of(report, "name"), text_of(report, "time"));
    out +=
        format_text("{} -> {} replicas", number_of(report, "current_replicas"), number_of(report, "desired_replicas"));
    out += " (the metrics ask for " + number_of(report, "proposed_replicas");
    const std::string limit = text_of(report, "limited_by");
    if (!limit.empty() && limit != "none") out += ", limited by " + limit;
    return out + ")\n";
}

}  // namespace

result<std::string> render_report(std::string_view report) {
    dom::parser parser;
    dom::element root;
    dom::array conditions;
    const bool readable = parse_json(parser, report, root) == simdjson::SUCCESS && root.is_object() &&
                          root["conditions"].get(conditions) == simdjson::SUCCESS;
    if (!readable) return fail(status::invalid, "report: expected the JSON of a decision, with its conditions");
    std::string out = headline(root);
    if (const std::string wrong = text_of(root, "error"); !wrong.empty()) {
        out += format_text("Error: {}\n", wrong);
    }
    add_conditions(out, conditions);
    dom::array steps;
    if (root["trace"].get(steps) != simdjson::SUCCESS) return out;
    out += "Trace:\n";
    for (dom::element step : steps) {
        out += format_text("  {}{}\n", padded(text_of(step, "step"), 10), text_of(step, "text"));
    }
    return out;
}

}  // namespace gputide::pipeline
