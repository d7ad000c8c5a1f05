// Splits texts about a cluster into objects, and reads their values.
#pragma once

#include "base/function_ref.hpp"
#include "nodes/node.hpp"
#include "text/mapping.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// An item that is read: the root of its values, and where their findings go.
struct item_source {
    text::cursor root;
    dialect from;
    text::report& findings;
    bool has_enough_findings = false;  // the places of further ones are not needed
};

class value_list;

// A value of an item, or an absent value: that of a member that is not there or null.  An absent value has no members and no
// items, and reads as the fallback; so that a.member("b").text("c") needs no check.
// Only name(), tree(), source(), where() and what reports findings require a value that is there.  Stores no path: a finding, which
// alone needs it, searches it.
class value_reader {
  public:
    value_reader() = default;
    explicit value_reader(const item_source& source) : at_(source.root.at), source_(&source) {}  // borrowed
    value_reader(const text::node& at, const item_source& source) : at_(&at), source_(&source) {}

    explicit operator bool() const { return at_ != nullptr; }
    bool is_mapping() const { return at_ != nullptr && at_->kind == text::node_kind::mapping; }
    bool is_list() const { return at_ != nullptr && at_->kind == text::node_kind::sequence; }
    std::string_view name() const { return at_->key; }  // in the mapping that has it
    const text::node& tree() const { return *at_; }
    place where() const;
    const item_source& source() const { return *source_; }

    value_reader member(std::string_view name) const;
    // Returns a nested member: "metadata", "labels".
    template <class... Names>
    value_reader member(std::string_view first, Names... rest) const {
        return member(first).member(rest...);
    }
    bool has(std::string_view name) const { return bool(member(name)); }
    value_reader or_else(const value_reader& other) const { return at_ != nullptr ? *this : other; }
    value_list items() const;    // of a list; an error for another type
    value_list members() const;  // of a mapping

    // Return nothing if the value is absent; nothing and an error if it is invalid.
    std::optional<std::string> own_text() const;
    std::optional<std::int64_t> signed_integer() const;

    // Return the fallback if the member is absent; report an error if it is invalid.
    std::string text(std::string_view name, std::string_view fallback = {}) const;
    std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;  // not negative
    std::int64_t own_integer(std::int64_t fallback = 0) const;                     // likewise; null is absent
    std::optional<double> number(std::string_view name) const;                     // not negative, finite
    std::optional<double> own_number() const;                                      // likewise; null is absent
    bool flag(std::string_view name, bool fallback = false) const;
    std::optional<std::int64_t> time_ms(std::string_view name) const;  // RFC 3339, or Unix milliseconds
    text_map texts(std::string_view name) const;
    std::vector<std::string> words(std::string_view name) const;  // a list of texts
    resource_list amounts(std::string_view name) const;

    // Returns the position of a member's text among names; nothing and an error if it is none of them.
    std::optional<std::size_t> choice(std::string_view name, std::string_view text,
                                      std::span<const std::string_view> names, std::string_view code) const;

    // Warns about each member that is not in `names`; only in gputide's format, because Kubernetes objects have many more
    // members.
    void only(std::initializer_list<std::string_view> names) const;

    void error(std::string_view code, std::string_view message, std::string_view remedy = {}) const;
    void warning(std::string_view code, std::string_view message, std::string_view remedy = {}) const;
    void note(std::string_view code, std::string_view message, std::string_view remedy = {}) const;

  private:
    bool is_absent() const { return at_ == nullptr || text::is_null(*at_); }
    void add(text::severity level, std::string_view code, std::string_view message, std::string_view remedy) const;
    void wrong_kind(std::string_view expected) const;  // the value is not absent
    std::optional<std::int64_t> amount_of(std::string_view resource_name) const;

    const text::node* at_ = nullptr;
    const item_source* source_ = nullptr;
};

// The items of a list or the members of a mapping.
class value_list {
  public:
    class iterator {
      public:
        iterator(const text::node* at, const item_source* source) : at_(at), source_(source) {}
        value_reader operator*() const { return {*at_, *source_}; }
        iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator!=(const iterator& other) const { return at_ != other.at_; }

      private:
        const text::node* at_;
        const item_source* source_;
    };

    value_list() = default;
    value_list(std::span<const text::node> nodes, const item_source& source) : nodes_(nodes), source_(&source) {}
    iterator begin() const { return {nodes_.data(), source_}; }
    iterator end() const { return {nodes_.data() + nodes_.size(), source_}; }
    std::size_t size() const { return nodes_.size(); }

  private:
    std::span<const text::node> nodes_;
    const item_source* source_ = nullptr;
};

}  // namespace gputide::nodes
