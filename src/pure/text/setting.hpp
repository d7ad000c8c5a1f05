// Tables of settings.  A row has a setting's name, form of value, default, meaning and the member that it fills.  One reader
// applies rows to texts (annotations, metadata, flags) and to documents (YAML or JSON); tests/docs prints the tables.
#pragma once

#include "text/field.hpp"
#include "text/mapping.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gputide::text {

enum class value_form : std::uint8_t {
    text = 0,
    flag = 1,           // true or false; in a text as Go's ParseBool
    number = 2,         // a JSON number
    whole = 3,          // without a fraction; in a document also 1e3
    choice = 4,         // one of `names`; its index is the value
    duration = 5,       // Go's duration, such as 1m30s; its milliseconds are the value
    long_duration = 6,  // the same, or whole days such as 14d
    bytes = 7,          // a quantity such as 80Gi, rounded up
    milli = 8,          // a quantity above 0; its thousandths are the value
};

// Form and range of a value.
struct value_rule {
    value_form form = value_form::text;
    double min = std::numeric_limits<double>::lowest();  // of numbers, milliseconds and bytes
    double max = std::numeric_limits<double>::max();
    std::span<const std::string_view> names = {};
    literal expected = {};        // for messages; empty: derived from form and range
    std::uint16_t max_items = 0;  // of a list; 0: the value is not a list
    bool may_be_single = false;   // of a list: a single value is a list with one item
    bool may_be_quoted = false;   // of a number in a document: "5" is 5
    bool may_be_null = false;     // in a document: null is a value; otherwise null means absent
};

constexpr value_rule a_text(literal expected = {}) { return {.expected = expected}; }
inline constexpr value_rule a_flag{.form = value_form::flag};
constexpr value_rule a_number(double min, double max, literal expected = {}) {
    return {.form = value_form::number, .min = min, .max = max, .expected = expected};
}
constexpr value_rule a_whole(double min, double max, literal expected = {}) {
    return {.form = value_form::whole, .min = min, .max = max, .expected = expected};
}
constexpr value_rule a_duration(double min_ms, double max_ms, literal expected) {
    return {.form = value_form::duration, .min = min_ms, .max = max_ms, .expected = expected};
}
constexpr value_rule a_long_duration(double min_ms, double max_ms, literal expected) {
    return {.form = value_form::long_duration, .min = min_ms, .max = max_ms, .expected = expected};
}
constexpr value_rule a_choice(std::span<const std::string_view> names) {
    return {.form = value_form::choice, .names = names};
}
constexpr value_rule a_list(value_rule rule, std::uint16_t max_items) {
    rule.max_items = max_items;
    return rule;
}

// A value that satisfies its rule.
struct setting_value {
    double number = 0.0;
    std::int64_t whole = 0;
    bool flag = false;
    bool is_null = false;
    std::string_view text;  // as written
};

// A row of a table.
template <class Settings>
struct setting {
    literal name;
    value_rule rule;
    // Fills the member; for a list it is called once per value.  Returns false if the value is invalid for a reason beyond
    // the rule.
    bool (*fill)(Settings& settings, const setting_value& value) = nullptr;
    literal fallback = {};  // default
    literal meaning = {};
    std::span<const setting> members = {};  // of an object: rows that fill the same settings
};

template <class Member>
void put(Member& member, const setting_value& value) {
    if constexpr (std::is_same_v<Member, bool>) {
        member = value.flag;
    } else if constexpr (std::is_floating_point_v<Member>) {
        member = value.number;
    } else if constexpr (std::is_integral_v<Member> || std::is_enum_v<Member>) {
        member = static_cast<Member>(value.whole);
    } else {
        member = value.text;
    }
}
template <class Member>
void put(std::optional<Member>& member, const setting_value& value) {
    member.reset();
    if (!value.is_null) put(member.emplace(), value);
}
template <class Member>
void put(std::vector<Member>& member, const setting_value& value) {
    put(member.emplace_back(), value);
}

// Fills a member of the settings, or of a nested struct: fill_member<options, &options::backoff, &backoff_rules::max_ms>.
template <class Settings, auto... Path>
bool fill_member(Settings& settings, const setting_value& value) {
    put((settings.*....*Path), value);
    return true;
}

// Fills the settings by a function that parses the text; returns false if the text is not valid.
template <class Settings, bool (*Read)(std::string_view text, Settings& settings)>
bool fill_by(Settings& settings, const setting_value& value) {
    return Read(value.text, settings);
}

// Parses a text; returns nothing if it does not satisfy the rule.
std::optional<setting_value> parse_value(const value_rule& rule, std::string_view text);

// Describes the accepted values: "true or false", "a number from 0 to 1", "open or closed".
std::string expected_text(const value_rule& rule);

// A row with its settings, for the part of the reader that is independent of their types.
struct setting_target {
    const void* row;
    void* settings;
    bool (*fill)(const setting_target& target, const setting_value& value);
};
// Reads a member if it is present; reports an error for a value that does not satisfy the rule.
void read_member(mapping& from, std::string_view name, const value_rule& rule, const setting_target& target);
// Returns a member that is an object; nothing if it is absent or null.  Reports an error for any other type.
std::optional<cursor> object_member(mapping& from, std::string_view name);

// Reads the members that are present, in the order of the rows; reports an error for each invalid value.
template <class Settings>
void read_members(mapping& from, std::span<const setting<Settings>> rows, Settings& into) {
    for (const setting<Settings>& row : rows) {
        if (!row.members.empty()) {
            const std::optional<cursor> at = object_member(from, row.name);
            if (!at) continue;
            mapping inner(*at, from.findings());
            read_members(inner, row.members, into);
            inner.finish(severity::error);
            continue;
        }
        const auto fill = [](const setting_target& target, const setting_value& value) {
            return static_cast<const setting<Settings>*>(target.row)
                ->fill(*static_cast<Settings*>(target.settings), value);
        };
        read_member(from, row.name, row.rule, {&row, &into, fill});
    }
}

// Parses a JSON object; "" is an empty object.  The place of an error is the prefix and the path of the member, such as
// "replay settings: set.threshold"; for an unknown member of an inner object it is that object.
result<document> read_json_object(const std::string& prefix, std::string_view json, std::size_t max_bytes);
error settings_error(const report& findings, const std::string& prefix);

// Reads a JSON object of settings, in which an unknown member is an error.
template <class Settings>
error read_json_settings(const std::string& prefix, std::string_view json, std::size_t max_bytes,
                         std::span<const setting<Settings>> rows, Settings& into) {
    const result<document> read = read_json_object(prefix, json, max_bytes);
    if (!read) return read.failure();
    report findings;
    mapping from({&read->root, &read->file, {}}, findings);
    read_members(from, rows, into);
    from.finish(severity::error);
    return settings_error(findings, prefix);
}

}  // namespace gputide::text
