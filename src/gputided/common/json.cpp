#include "common/json.hpp"

#include "common/text.hpp"

#ifdef GPUTIDED_YAML
#include <yaml.h>
#endif

#include <algorithm>
#include <cctype>
#include <iostream>
#include <limits>

namespace gputided {

namespace {

// Returns the position after the JSON string that begins at `from`.
std::size_t text_end(std::string_view text, std::size_t from) {
    std::size_t at = from + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2U : 1U;
    return std::min(at + 1, text.size());
}

// Returns the position of the comma or bracket after the value that begins at `from`.
std::size_t value_end(std::string_view text, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t at = from; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '"') {
            at = text_end(text, at) - 1;
        } else if (letter == '{' || letter == '[') {
            ++depth;
        } else if (depth == 0 && (letter == ',' || letter == '}' || letter == ']')) {
            return at;
        } else if (letter == '}' || letter == ']') {
            --depth;
        }
    }
    return text.size();
}

}  // namespace

std::string_view json_member(std::string_view object, std::string_view name) {
    for (std::size_t at = 1; at < object.size() && object[at] == '"';) {
        const std::size_t colon = text_end(object, at);
        if (colon == object.size()) break;
        const std::size_t end = value_end(object, colon);
        if (object.substr(at + 1, colon - at - 2) == name) return object.substr(colon + 1, end - colon - 1);
        at = end + 1;
    }
    return {};
}

std::vector<std::string_view> json_elements(std::string_view array) {
    std::vector<std::string_view> out;
    for (std::size_t at = 1; at + 1 < array.size();) {
        const std::size_t end = value_end(array, at);
        out.push_back(array.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

namespace {

// Returns a value in the form that follows its name in a pattern.
std::string in_form(const json& value, const std::string& form) {
    if (form.empty()) return shown(value);
    if (form == "s") return figure(value.get<double>() / 1000.0) + " s";
    if (form.front() == '.') return decimal(value.get<double>(), form[1] - '0');
    if (std::isdigit(static_cast<unsigned char>(form.front())) != 0) return figure(value.get<double>(), form[0] - '0');
    return counted(value.get<std::int64_t>(), form.c_str());
}

// may_miss: returns nothing if a member is missing or null.
std::optional<std::string> filled_pattern(std::string_view pattern, const json& object, bool may_miss) {
    std::string out;
    for (;;) {
        const std::size_t open = pattern.find('{'), close = pattern.find('}', open);
        out += pattern.substr(0, open);
        if (close == std::string_view::npos) return out;
        const std::string place(pattern.substr(open + 1, close - open - 1));
        const std::size_t colon = std::min(place.find(':'), place.size());
        const json::json_pointer member((place.front() == '/' ? "" : "/") + place.substr(0, colon));
        if (may_miss && (!object.contains(member) || object.at(member).is_null())) return std::nullopt;
        out += in_form(object.at(member), place.substr(std::min(colon + 1, place.size())));
        pattern.remove_prefix(close + 1);
    }
}

}  // namespace

std::string format_members(std::string_view pattern, const json& object) {
    return *filled_pattern(pattern, object, false);
}

std::string format_members_if_known(std::string_view pattern, const json& object) {
    return filled_pattern(pattern, object, true).value_or("");
}

std::string json_text(std::string_view value) {
    const auto read = json::parse(value, nullptr, false);
    return read.is_string() ? read.get<std::string>() : std::string();
}

std::optional<std::int32_t> replica_count(const json& value) {
    constexpr std::uint64_t max_replicas = std::numeric_limits<std::int32_t>::max();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max_replicas) return std::nullopt;
    return value.get<std::int32_t>();
}

std::string read_error(const json& read, bool whole) {
    const auto found = read.find("error");
    if (found == read.end()) return "";
    const std::string where = text_at(*found, "where"), body = found->value("body", "");
    return (where.empty() ? "" : where + ": ") + text_at(*found, "message") +
           (whole && !body.empty() ? "; the response begins \"" + body + "\"" : "");
}

std::string last_sentence(const std::vector<std::string_view>& trace) {
    return trace.empty() ? std::string() : json_text(json_member(trace.back(), "text"));
}

json last_reads(std::string_view described) {
    const std::string_view metrics = json_member(described, "metrics");
    return metrics.empty() ? json::array() : json::parse(metrics);  // "": no metric was read yet
}

namespace {

#ifdef GPUTIDED_YAML

// Returns a scalar's value.  Only a plain scalar can be anything but a text.
ordered_json scalar_of(const yaml_node_t& node) {
    const std::string text(reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length);
    if (node.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return text;
    if (text.empty() || text == "~" || text == "null") return nullptr;
    const ordered_json value = ordered_json::parse(text, nullptr, false);
    return value.is_number() || value.is_boolean() ? value : ordered_json(text);
}

ordered_json value_of(yaml_document_t& document, int index) {
    const yaml_node_t* node = ::yaml_document_get_node(&document, index);
    if (node == nullptr) return nullptr;
    if (node->type == YAML_SCALAR_NODE) return scalar_of(*node);
    if (node->type == YAML_SEQUENCE_NODE) {
        ordered_json out = ordered_json::array();
        for (const auto* item = node->data.sequence.items.start; item < node->data.sequence.items.top; ++item) {
            out.push_back(value_of(document, *item));
        }
        return out;
    }
    ordered_json out = ordered_json::object();
    for (const auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; ++pair) {
        const ordered_json key = value_of(document, pair->key);
        out[key.is_string() ? key.get<std::string>() : key.dump()] = value_of(document, pair->value);
    }
    return out;
}

std::vector<ordered_json> yaml_documents(const std::string& text) {
    std::vector<ordered_json> out;
    yaml_parser_t parser;
    if (::yaml_parser_initialize(&parser) == 0) return out;
    ::yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    for (;;) {
        yaml_document_t document;
        if (::yaml_parser_load(&parser, &document) == 0) break;
        const bool is_last = ::yaml_document_get_root_node(&document) == nullptr;
        if (!is_last) out.push_back(value_of(document, 1));
        ::yaml_document_delete(&document);
        if (is_last) break;
    }
    ::yaml_parser_delete(&parser);
    return out;
}

#else

std::vector<ordered_json> yaml_documents(const std::string&) { return {}; }

#endif

}  // namespace

std::vector<ordered_json> documents_of(const std::string& text) {
    ordered_json whole = ordered_json::parse(text, nullptr, false);
    if (!whole.is_discarded()) return {std::move(whole)};
    return yaml_documents(text);
}

namespace {

// Adds the place of an error in a text, and code, message and remedy of the text's first error.
void add_place(ordered_json& out, const std::string& detail) {
    const ordered_json known = ordered_json::parse(detail, nullptr, false);
    if (!known.is_object() || !known.contains("file")) return;
    for (const char* member : {"code", "file", "line", "column", "path", "message", "remedy"}) {
        if (known.contains(member)) out[member] = known.at(member);
    }
}

void add_findings(ordered_json& out, const std::string& text) {
    const ordered_json report = ordered_json::parse(text, nullptr, false);
    if (report.is_object() && report.contains("report")) out["findings"] = report.at("report").at("findings");
}

// Returns bad_input for a wrong manifest or setting, otherwise source_failed.
exit_status exit_status_of(const gputide::failure& failure) {
    switch (failure.status()) {
        case GPUTIDE_E_INVALID:
        case GPUTIDE_E_AMBIGUOUS:
        case GPUTIDE_E_LIMIT:
        case GPUTIDE_E_STATE:
            return bad_input;
        default:
            return source_failed;
    }
}

}  // namespace

ordered_json failure_json(const gputide::failure& failure) {
    const gputide_error& error = failure.error();
    const char* const status = gputide_status_name(error.status);
    ordered_json out{{"code", status}, {"status", status}};
    if (error.where[0] != '\0') out["where"] = error.where;
    out["message"] = error.message;
    out["retryable"] = error.retryable != 0;
    if (error.http_status != 0) out["http_status"] = error.http_status;
    if (error.service_code[0] != '\0') out["service_code"] = error.service_code;
    add_place(out, error.detail);
    if (const auto* manifest = dynamic_cast<const manifest_failure*>(&failure)) add_findings(out, manifest->report);
    return out;
}

int report_failure(exit_status status, const std::string& text, ordered_json error, bool as_json) {
    log_line(text, log_level::error);
    if (as_json) {
        error["exit_status"] = status;
        std::cout << dumped(ordered_json{{"error", std::move(error)}}) << "\n" << std::flush;
    }
    return status;
}

int report_error(const std::exception& error, bool as_json) {
    if (const auto* failed = dynamic_cast<const gputide::failure*>(&error))
        return report_failure(exit_status_of(*failed), failure_text(*failed), failure_json(*failed), as_json);
    const auto* wrong = dynamic_cast<const usage_error*>(&error);
    ordered_json out{{"code", wrong != nullptr ? "usage" : "internal"}, {"message", error.what()}};
    if (wrong != nullptr && !wrong->file.empty()) out["file"] = wrong->file;
    if (wrong != nullptr && wrong->line > 0) out["line"] = wrong->line;
    return report_failure(wrong != nullptr ? bad_input : source_failed, error.what(), std::move(out), as_json);
}

}  // namespace gputided
