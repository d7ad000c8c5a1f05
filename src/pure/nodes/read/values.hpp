// Splits texts about a cluster into objects, and reads their values.
#pragma once

#include "base/function_ref.hpp"
#include "nodes/node.hpp"
#include "text/mapping.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::nodes {

inline constexpr std::size_t max_text_bytes = std::size_t{256} << 20;

// An item of a list ("pods[3]", "items[7]"), or the rest of the object without its lists ("").
struct text_item {
    std::string_view member;  // name of the list that holds the item; "": the object itself
    text::cursor at;
};

// Calls `take` for every item in the order of the text, and then for the rest of the object.  An object without lists, and
// each document of a YAML text, is a single call.
void read_items(const std::string& file, std::string_view text, text::report& findings,
                function_ref<void(const text_item&)> take);

// Reads values of a cluster's texts: amounts, times, numbers; errors name the path.

// The origin of a text. own: plain numbers are millicores, bytes and counts; kubernetes: they are quantities, as in its API.
// A quoted amount is a quantity in both.
enum class dialect : std::int32_t { own = 0, kubernetes = 1 };

class value_reader {
  public:
    value_reader(text::cursor cursor, dialect dialect, text::report& findings)
        : at_(std::move(cursor)), from_(dialect), findings_(findings) {}

    const text::cursor& here() const { return at_; }
    dialect from() const { return from_; }
    text::report& findings() const { return findings_; }

    // Returns the member of that name; nothing if it is absent or null.
    std::optional<value_reader> member(std::string_view name) const;
    // Returns a nested member: "metadata", "labels".
    template <class... Names>
    std::optional<value_reader> member(std::string_view first, Names... rest) const {
        const std::optional<value_reader> next = member(first);
        return next ? next->member(rest...) : std::nullopt;
    }
    bool has(std::string_view name) const { return member(name).has_value(); }
    bool is_mapping() const { return at_.at->kind == text::node_kind::mapping; }
    std::vector<value_reader> items() const;  // of a list; an error for another type
    // Returns the items of a member; none if it is absent.
    template <class... Names>
    std::vector<value_reader> items_of(Names... names) const {
        const std::optional<value_reader> list = member(names...);
        return list ? list->items() : std::vector<value_reader>();
    }

    // Return the fallback if the member is absent; report an error if it is invalid.
    std::string text(std::string_view name, std::string_view fallback = {}) const;
    std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;  // not negative
    std::optional<double> number(std::string_view name) const;                     // not negative, finite
    bool flag(std::string_view name, bool fallback = false) const;
    std::optional<std::int64_t> time_ms(std::string_view name) const;  // RFC 3339, or Unix milliseconds
    text_map texts(std::string_view name) const;
    std::vector<std::string> words(std::string_view name) const;  // a list of texts
    resource_list amounts(std::string_view name) const;

    // Warns about each member that is not in `names`; only in gputide's format, because Kubernetes objects have many more
    // members.
    void only(std::initializer_list<std::string_view> names) const;

    // Return the value itself.
    std::optional<std::string> own_text() const;
    std::optional<std::int64_t> signed_integer() const;

    void error(std::string_view code, std::string_view message, std::string_view remedy = {}) const;
    void warning(std::string_view code, std::string_view message, std::string_view remedy = {}) const;

  private:
    std::optional<std::int64_t> amount_of(std::string_view resource_name) const;

    text::cursor at_;
    dialect from_;
    text::report& findings_;
};

}  // namespace gputide::nodes
