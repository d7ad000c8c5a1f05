// Saved states: one line of JSON with its members in a fixed order, without blanks, with a version at its start and a
// checksum at its end:  {"gputide_state":5,"created":1795255200000,...,"crc32c":"9a71bb4c"}
//
// A struct has one function, visit(archive, struct), that names its members in the order of the text.  Every archive calls
// it, so writing and reading cannot differ:
//   text_output   writes a saved text
//   text_input    reads one; any other byte than text_output would write is refused
// decide/state/json.cpp has two more, for the JSON that people read and write.
//
// In a text a record (a struct's members) is an array without names of members; in JSON it is an object:
//   at.record("ups", ...)   text: [7,false,1795255200000]   JSON: {"change":7,"outdated":false,"time_ms":1795255200000}
#pragma once

#include "base/json_writer.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gputide {

// Limit of saved times, in milliseconds from 1970: sums of a few times cannot overflow.
inline constexpr std::int64_t farthest_time_ms = 9'000'000'000'000'000;

// A member's name in the text, which a record leaves out, and in JSON.  Two pointers: hundreds of calls pass it in registers.
struct member_name {
    constexpr member_name(const char* both) : text(both), json(both) {}  // NOLINT: implicit by design
    constexpr member_name(const char* in_text, const char* in_json) : text(in_text), json(in_json) {}

    bool is_empty() const { return *json == '\0'; }

    const char* text;
    const char* json;
};
inline constexpr member_name unnamed = "";  // for an item of a list

// The struct type that visit() takes: archives that load change the struct, the others do not.
template <class Archive, class Struct>
using visited = std::conditional_t<Archive::loads, Struct, const Struct>;

template <class Integer>
inline constexpr std::int64_t smallest = std::numeric_limits<Integer>::min();
template <class Integer>
inline constexpr std::int64_t largest = std::numeric_limits<Integer>::max();

// The name and newest version of a kind of saved text, and its largest size.
struct text_format {
    const char* member = "";  // "gputide_state"
    const char* noun = "";    // "state", for messages
    std::int32_t version = 1;
    std::size_t max_bytes = 0;
};

class text_output {
  public:
    static constexpr bool loads = false;
    static constexpr bool is_text = true;

    explicit text_output(const text_format& format);
    std::string seal() &&;

    static constexpr bool ok() { return true; }
    static constexpr void check(bool) {}

    void string(member_name name, std::string_view value) { named(name).string(value); }
    void boolean(member_name name, bool value) { named(name).boolean(value); }
    void number(member_name name, double value, double = 0, double = 0) { named(name).number(value); }
    void number_or_null(member_name name, double value, double, double) { named(name).number(value); }  // NaN: null
    void time(member_name name, std::int64_t value) { named(name).integer(value); }
    void time_or_null(member_name name, std::int64_t value, std::int64_t absent);

    template <class Integer>
    void integer(member_name name, Integer value, std::int64_t = 0, std::int64_t = 0) {
        named(name).integer(static_cast<std::int64_t>(value));
    }
    template <class Code, class Name = std::nullptr_t>
    void code(member_name name, Code value, Code, Name = {}) {
        named(name).integer(static_cast<std::int64_t>(value));
    }

    // Members that JSON leaves out if they are empty, and nests; a text always has them.
    static constexpr bool shows(bool) { return true; }
    template <class Members>
    void nested(member_name, bool, Members members) {
        members();
    }

    // A value, which visit_value() names `unnamed`, or null.
    template <class Value>
    void optional(member_name name, bool present, Value visit_value) {
        if (!present) {
            named(name).null();
            return;
        }
        if (has_names_) out_.key(name.text);
        const bool outer = std::exchange(has_names_, false);
        visit_value();
        has_names_ = outer;
    }
    template <class Members>
    void record(member_name name, Members members) {
        named(name).begin_array();
        const bool outer = std::exchange(has_names_, false);
        members();
        has_names_ = outer;
        out_.end_array();
    }
    template <class Members>
    void object(member_name name, Members members) {
        named(name).begin_object();
        const bool outer = std::exchange(has_names_, true);
        members();
        has_names_ = outer;
        out_.end_object();
    }
    // A record, or null; JSON omits a record that is not present.
    template <class Members>
    void optional_record(member_name name, bool present, Members members) {
        optional(name, present, [&] { record(unnamed, members); });
    }

    // Writes a list of structs, or of integers.
    template <class List>
    void list(member_name name, const List& items, std::size_t = 0) {
        record(name, [&] {
            for (const auto& item : items) record(unnamed, [&] { visit(*this, item); });
        });
    }
    template <class List>
    void integers(member_name name, const List& items, std::int64_t, std::int64_t) {
        record(name, [&] {
            for (const auto item : items) integer(unnamed, item);
        });
    }

  private:
    json_writer& named(member_name name) { return has_names_ ? out_.key(name.text) : out_; }

    json_writer out_;
    bool has_names_ = true;
};

// After the first unexpected byte, every further read returns an empty value and changes nothing.
class text_input {
  public:
    static constexpr bool loads = true;
    static constexpr bool is_text = true;

    // Checks size, version and checksum, and continues after the version.  An error's message says what is wrong.
    static result<text_input> open(std::string_view text, const text_format& format);

    bool ok() const { return ok_; }
    bool at_end() const { return ok_ && rest_.empty(); }
    void check(bool is_valid) {
        if (!is_valid) ok_ = false;
    }

    std::string_view json_string(member_name name);  // with quotes and escapes, as written
    void boolean(member_name name, bool& value);
    void number(member_name name, double& value, double min, double max);
    void number_or_null(member_name name, double& value, double min, double max);
    void time(member_name name, std::int64_t& value);
    void time_or_null(member_name name, std::int64_t& value, std::int64_t absent);

    template <class Integer>
    void integer(member_name name, Integer& value, std::int64_t min = smallest<Integer>,
                 std::int64_t max = largest<Integer>) {
        value = static_cast<Integer>(whole(name, static_cast<std::int64_t>(value), min, max));
    }
    template <class Code, class Name = std::nullptr_t>
    void code(member_name name, Code& value, Code last, Name = {}) {
        integer(name, value, 0, static_cast<std::int64_t>(last));
    }

    static constexpr bool shows(bool) { return true; }
    template <class Members>
    void nested(member_name, bool, Members members) {
        members();
    }

    template <class Value>
    void optional(member_name name, bool& present, Value visit_value) {
        begin(name);
        present = ok_ && !take("null");
        if (!present) return;
        const scope outer = std::exchange(scope_, {.has_names = false, .is_first = true});
        visit_value();
        scope_ = outer;
    }
    template <class Members>
    void record(member_name name, Members members) {
        inside(name, "[", "]", members);
    }
    template <class Members>
    void object(member_name name, Members members) {
        inside(name, "{", "}", members);
    }
    template <class Members>
    void optional_record(member_name name, bool present, Members members) {
        optional(name, present, [&] { record(unnamed, members); });
    }

    template <class List>
    void list(member_name name, List& items, std::size_t max) {
        items_of(name, max, [&] {
            typename List::value_type item{};
            record(unnamed, [&] { visit(*this, item); });
            if (ok_) items.push_back(item);
        });
    }
    template <class List>
    void integers(member_name name, List& items, std::int64_t min, std::int64_t max) {
        items_of(name, rest_.size(), [&] {
            typename List::value_type item{};
            integer(unnamed, item, min, max);
            if (ok_) items.push_back(item);
        });
    }

  protected:
    // Calls read_item() for each item of a list.
    template <class Item>
    void items_of(member_name name, std::size_t max, Item read_item) {
        record(name, [&] {
            for (std::size_t count = 0; ok_ && !rest_.starts_with(']'); ++count) {
                check(count < max);
                read_item();
            }
        });
    }

  private:
    struct scope {
        bool has_names = true;
        bool is_first = true;
    };

    explicit text_input(std::string_view text) : rest_(text) {}

    template <class Members>
    void inside(member_name name, std::string_view opens, std::string_view closes, Members members) {
        begin(name);
        expect(opens);
        const scope outer = std::exchange(scope_, {.has_names = opens == "{", .is_first = true});
        members();
        scope_ = outer;
        expect(closes);
    }
    void begin(member_name name);  // reads the comma before the member, and the name
    bool take(std::string_view expected);
    void expect(std::string_view expected) { check(take(expected)); }
    std::int64_t whole(member_name name, std::int64_t otherwise, std::int64_t min, std::int64_t max);

    std::string_view rest_;
    scope scope_;
    bool ok_ = true;
};

}  // namespace gputide
