#include "text/setting.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::text {
namespace {

bool is_within(const value_rule& rule, double value) { return value >= rule.min && value <= rule.max; }

std::optional<setting_value> whole_value(const value_rule& rule, std::optional<std::int64_t> read,
                                         std::string_view text) {
    if (!read || !is_within(rule, static_cast<double>(*read))) return std::nullopt;
    return setting_value{.number = static_cast<double>(*read), .whole = *read, .text = text};
}

std::optional<setting_value> number_value(const value_rule& rule, std::string_view text) {
    const std::optional<double> read = parse_json_number(text);
    if (!read || !std::isfinite(*read) || !is_within(rule, *read)) return std::nullopt;
    return setting_value{.number = *read, .text = text};
}

std::optional<setting_value> flag_value(std::optional<bool> read, std::string_view text) {
    if (!read) return std::nullopt;
    return setting_value{.flag = *read, .text = text};
}

std::optional<setting_value> choice_value(const value_rule& rule, std::string_view text) {
    const auto at = std::ranges::find(rule.names, text);
    if (at == rule.names.end()) return std::nullopt;
    return setting_value{.whole = at - rule.names.begin(), .text = text};
}

std::optional<std::int64_t> days_ms(std::string_view text) {
    constexpr std::int64_t day_ms = 86'400'000;
    constexpr std::int64_t max_days = 10'000;
    const std::optional<std::int64_t> days = parse_int64(text.substr(0, text.size() - 1));
    if (!days || *days < 0 || *days > max_days) return std::nullopt;
    return *days * day_ms;
}

std::optional<setting_value> quantity_value(const value_rule& rule, std::string_view text) {
    const result<quantity> read = parse_quantity(text);
    if (!read) return std::nullopt;
    if (rule.form == value_form::bytes) return whole_value(rule, read->value_up, text);
    if (read->milli <= 0 || read->milli_overflow) return std::nullopt;
    return setting_value{.whole = read->milli, .text = text};
}

// Joins names: "open or closed", "utilization, queue or total".
std::string alternatives(std::span<const std::string_view> names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
    }
    return out;
}

std::string range_text(const value_rule& rule) {
    std::string out;
    if (rule.min > std::numeric_limits<double>::lowest()) out += " from " + shortest(rule.min);
    if (rule.max < std::numeric_limits<double>::max()) out += " to " + shortest(rule.max);
    return out;
}

bool is_numeric(const value_rule& rule) { return rule.form == value_form::number || rule.form == value_form::whole; }

// Returns the value of a document's node, where numbers and flags are typed.
std::optional<setting_value> typed_value(const value_rule& rule, const node& value) {
    const scalar_type type = type_of(value);
    if (type == scalar_type::null && rule.may_be_null) return setting_value{.is_null = true};
    if (value.kind != node_kind::scalar || type == scalar_type::null) return std::nullopt;
    if (rule.form == value_form::flag) {
        if (type != scalar_type::boolean) return std::nullopt;
        return flag_value(lower(value.text) == "true", value.text);
    }
    if (is_numeric(rule) && value.quoted && !rule.may_be_quoted) return std::nullopt;
    if (rule.form != value_form::whole) return parse_value(rule, value.text);
    if (const std::optional<setting_value> exact = parse_value(rule, value.text)) return exact;
    const std::optional<setting_value> read = number_value(rule, value.text);
    constexpr double max_exact = 9'007'199'254'740'992.0;  // 2^53
    if (!read || read->number != std::floor(read->number) || std::abs(read->number) > max_exact) return std::nullopt;
    return whole_value(rule, static_cast<std::int64_t>(read->number), value.text);
}

std::string shown(const node& value) {
    const std::string kind(kind_name(value));
    if (value.kind != node_kind::scalar) return kind;
    return value.quoted ? "text " + in_quotes(value.text) : in_quotes(value.text);
}

void refuse(const cursor& at, std::string_view name, const value_rule& rule, report& findings) {
    const bool needs_no_quotes = at.at->quoted && (is_numeric(rule) || rule.form == value_form::flag);
    findings.add(severity::error, "invalid-value", at.where(),
                 format_text("{}: expected {}, got {}", name, expected_text(rule), shown(*at.at)),
                 needs_no_quotes ? "remove the quotes" : "");
}

void read_scalar(const cursor& at, std::string_view name, const value_rule& rule, const setting_target& target,
                 report& findings) {
    const std::optional<setting_value> value = typed_value(rule, *at.at);
    if (!value || !target.fill(target, *value)) refuse(at, name, rule, findings);
}

void read_list(const cursor& at, std::string_view name, const value_rule& rule, const setting_target& target,
               report& findings) {
    if (at.at->kind != node_kind::sequence) {
        if (rule.may_be_single) return read_scalar(at, name, rule, target, findings);
        findings.add(
            severity::error, "wrong-type", at.where(),
            format_text("{}: expected a list, each item {}, got {}", name, expected_text(rule), shown(*at.at)));
        return;
    }
    if (at.at->children.size() > rule.max_items) {
        findings.add(
            severity::error, "too-large", at.where(),
            format_text("{}: expected at most {} items, got {}", name, rule.max_items, at.at->children.size()));
        return;
    }
    for (std::size_t i = 0; i < at.at->children.size(); ++i) read_scalar(at.item(i), name, rule, target, findings);
}

}  // namespace

std::optional<setting_value> parse_value(const value_rule& rule, std::string_view text) {
    switch (rule.form) {
        case value_form::text:
            return setting_value{.text = text};
        case value_form::flag:
            return flag_value(parse_go_bool(text), text);
        case value_form::number:
            return number_value(rule, text);
        case value_form::whole:
            return whole_value(rule, parse_int64(text), text);
        case value_form::choice:
            return choice_value(rule, text);
        case value_form::duration:
            return whole_value(rule, parse_go_duration_ms(text), text);
        case value_form::long_duration:
            return whole_value(rule, text.ends_with('d') ? days_ms(text) : parse_go_duration_ms(text), text);
        case value_form::bytes:
        case value_form::milli:
            return quantity_value(rule, text);
    }
    return std::nullopt;
}

std::string expected_text(const value_rule& rule) {
    if (!rule.expected.empty()) return std::string(rule.expected);
    switch (rule.form) {
        case value_form::text:
            return "text";
        case value_form::flag:
            return "true or false";
        case value_form::number:
            return "a number" + range_text(rule);
        case value_form::whole:
            return "a whole number" + range_text(rule);
        case value_form::choice:
            return alternatives(rule.names);
        case value_form::duration:
        case value_form::long_duration:
            return "a duration such as 10m";
        case value_form::bytes:
            return "bytes such as 80Gi";
        case value_form::milli:
            return "a quantity above 0";
    }
    return "";
}

void read_member(mapping& from, std::string_view name, const value_rule& rule, const setting_target& target) {
    const std::optional<cursor> at = from.member(name);
    if (!at || (is_null(*at->at) && !rule.may_be_null)) return;
    if (rule.max_items > 0) return read_list(*at, name, rule, target, from.findings());
    read_scalar(*at, name, rule, target, from.findings());
}

std::optional<cursor> object_member(mapping& from, std::string_view name) {
    std::optional<cursor> at = from.member(name);
    if (!at || is_null(*at->at)) return std::nullopt;
    if (at->at->kind == node_kind::mapping) return at;
    from.error(name, "wrong-type", format_text("{}: expected an object, got {}", name, shown(*at->at)));
    return std::nullopt;
}

result<document> read_json_object(const std::string& prefix, std::string_view json, std::size_t max_bytes) {
    const std::string place = prefix.substr(0, prefix.find(':'));
    document out;
    out.root.kind = node_kind::mapping;
    if (trim(json).empty()) return out;
    if (json.size() > max_bytes)
        return fail(status::limit, "{} bytes of settings, at most {} are read", json.size(), max_bytes).at(place);
    read_text read = read_json(json);
    if (read.failure)
        return fail_at(
            read.failure->kind == error_class::limit ? status::limit : status::invalid, place,
            format_text("expected a JSON object of settings, got {}: {}", in_quotes(json, 60), read.failure->message));
    if (read.roots.front().kind != node_kind::mapping)
        return fail(status::invalid, "expected a JSON object of settings, got {}", in_quotes(json, 60)).at(place);
    out.root = std::move(read.roots.front());
    return out;
}

error settings_error(const report& findings, const std::string& prefix) {
    error out = findings.as_error();
    if (out.status == status::ok) return out;
    std::string path = std::move(out.where.path);
    const finding& first = *std::ranges::find_if(
        findings.findings, [](const finding& entry) { return entry.severity == severity::error; });
    if (first.code == "unknown-key") {
        const std::size_t end = std::string_view(path).ends_with("\"]") ? path.find("[\"") : path.rfind('.');
        if (end != std::string::npos && end > 0) path.resize(end);
    }
    return fail_at(out.status, prefix + path, std::move(out.message));
}

}  // namespace gputide::text
