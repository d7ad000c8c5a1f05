// The keys of a trigger: one table per source, used by the reading code (parameters.hpp) and by the documentation
// (tests/docs).  A row defines how a key is written and what it means.  Using a key that the table does not have, or with
// another type, does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace gputide::text {

// Places where a field can be written, in the order in which a field lists them.
enum class origin : std::uint8_t {
    metadata = 0,  // "triggerMetadata" in messages
    auth = 1,      // "authParams": from the TriggerAuthentication; messages never quote such a value
    env = 2,       // "resolvedEnv": metadata <key>FromEnv names an environment variable
};

enum class value_type : std::uint8_t {
    text = 0,
    secret = 1,    // a text that is never shown
    number = 2,    // a JSON number: 5, -1.5, 1e3; not .5, 5., +5, NaN
    flag = 3,      // Go's ParseBool
    duration = 4,  // "1m30s" (Go's durations) or a whole number of milliseconds; never negative
    pairs = 5,     // "a=1,b=2": each pair has two parts; the last duplicate wins
    list = 6,      // "a, b"
};

// A text of a table.  Half the size of a string_view, since the tables have thousands of texts.
class literal {
  public:
    constexpr literal() = default;
    constexpr literal(const char* text) : text_(text) {}  // NOLINT: implicit by design, as is the way back
    constexpr operator std::string_view() const { return text_ == nullptr ? std::string_view() : text_; }  // NOLINT
    constexpr bool empty() const { return text_ == nullptr; }
    friend constexpr bool operator==(const literal& a, std::string_view b) { return std::string_view(a) == b; }

  private:
    const char* text_ = nullptr;
};

// A list of words in one text of a table, separated by blanks: "authModes authMode".  One pointer, which the loader must relocate,
// instead of one for each word.
class words {
  public:
    class iterator {
      public:
        constexpr explicit iterator(std::string_view rest) : rest_(rest) {}
        constexpr std::string_view operator*() const { return rest_.substr(0, rest_.find(' ')); }
        constexpr iterator& operator++() {
            const std::size_t blank = rest_.find(' ');
            rest_ = blank == std::string_view::npos ? std::string_view() : rest_.substr(blank + 1);
            return *this;
        }
        constexpr bool operator==(const iterator& other) const { return rest_.size() == other.rest_.size(); }

      private:
        std::string_view rest_;
    };

    constexpr words() = default;
    constexpr words(const char* text) : text_(text) {}  // NOLINT: implicit by design
    constexpr iterator begin() const { return iterator(text_); }
    constexpr iterator end() const { return iterator({}); }
    constexpr bool empty() const { return text_.empty(); }
    constexpr bool has(std::string_view wanted) const {
        for (const std::string_view word : *this) {
            if (word == wanted) return true;
        }
        return false;
    }

  private:
    literal text_;
};

// The places of a field.
class origins {
  public:
    constexpr origins(std::initializer_list<origin> items) {
        for (const origin item : items) items_[size_++] = item;  // does not compile beyond three
    }
    constexpr const origin* begin() const { return items_.data(); }
    constexpr const origin* end() const { return items_.data() + size_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool has(origin wanted) const {
        for (const origin item : *this) {
            if (item == wanted) return true;
        }
        return false;
    }

  private:
    std::array<origin, 3> items_{};
    std::uint8_t size_ = 0;
};

// {.names = "authModes authMode", .places = {origin::metadata, origin::auth}, .type = value_type::list, ...}
struct field {
    words names;  // the field's own name, then its aliases
    origins places = {origin::metadata};
    value_type type = value_type::text;
    bool required = false;
    bool of_access = false;  // address or credential: not needed if only the target is read
    words allowed = {};      // each item must be one of these; case-sensitive
    words exclusive = {};    // at most one item may be one of these
    literal fallback = {};   // default, as it would be written; reading returns it if the key is absent
    literal otherwise = {};  // default in words, if it is not one value; for documentation
    literal range = {};      // accepted range, if `allowed` does not define it; for documentation
    literal meaning = {};    // one line; for documentation
};

// A row, typed for the functions of `parameters`: keys["url"] is a text_key if that row's type is text.
template <value_type Type>
class key {
  public:
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval key(const field& field) : row_(&field) {
        if (field.type != Type) throw "the table has this key with another type";
    }
    constexpr const field& row() const { return *row_; }
    constexpr std::string_view name() const { return *row_->names.begin(); }

  private:
    const field* row_;
};

using text_key = key<value_type::text>;
using secret_key = key<value_type::secret>;
using number_key = key<value_type::number>;
using flag_key = key<value_type::flag>;
using duration_key = key<value_type::duration>;
using pairs_key = key<value_type::pairs>;
using list_key = key<value_type::list>;

// constexpr auto keys = text::fields({{.names = {"url"}, ...}, ...}) + shared_keys;
template <std::size_t Size>
struct field_table {
    std::array<field, Size> rows;

    consteval const field& operator[](std::string_view name) const {
        for (const field& row : rows) {
            if (row.names.has(name)) return row;
        }
        throw "the table has no key of this name";
    }
    constexpr std::span<const field> all() const { return rows; }
};

template <std::size_t Size>
consteval field_table<Size> fields(const field (&rows)[Size]) {  // NOLINT(modernize-avoid-c-arrays)
    field_table<Size> out{};
    for (std::size_t i = 0; i < Size; ++i) out.rows[i] = rows[i];
    return out;
}

// Marks all rows as addresses or credentials.
template <std::size_t Size>
consteval field_table<Size> of_access(field_table<Size> table) {
    for (field& row : table.rows) row.of_access = true;
    return table;
}

template <std::size_t A, std::size_t B>
consteval field_table<A + B> operator+(const field_table<A>& first, const field_table<B>& second) {
    field_table<A + B> out{};
    for (std::size_t i = 0; i < A; ++i) out.rows[i] = first.rows[i];
    for (std::size_t i = 0; i < B; ++i) out.rows[A + i] = second.rows[i];
    return out;
}

}  // namespace gputide::text
