// Reads a document.  A cursor has a path; a mapping returns members by name and type, and reports members that were not read.
#pragma once

#include "text/document.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {

struct cursor {
    const node* at = nullptr;  // never null in a usable cursor
    const std::string* file = nullptr;
    std::string path;

    place where() const;
    cursor child(const node& member) const;  // path + ".key", or ["a.b/c"] if the key is not a plain word
    cursor item(std::size_t index) const;    // path + "[index]"
    // Returns the place of a path below this one, such as "metrics[0].external": the deepest existing node on it.
    place place_of(std::string_view relative_path) const;
};

std::string joined_path(std::string_view path, std::string_view key);

// Returns a scalar of any type as text; nothing for lists and mappings.
std::optional<std::string> scalar_text(const node& value);

class mapping {
  public:
    // Reports an error for any other type; null is an empty mapping. `findings` must outlive this object.
    mapping(cursor cursor, report& findings);

    bool has(std::string_view key) const;  // present and not null
    const cursor& here() const { return at_; }
    report& findings() const { return findings_; }
    place place_of(std::string_view key) const;

    std::optional<cursor> member(std::string_view key);  // of any type, also null

    // Return nothing if the member is absent or null; report an error and return nothing if its type is wrong.
    std::optional<std::string> text(std::string_view key);  // accepts a number or boolean, with a warning to quote it
    std::optional<std::string> quantity(std::string_view key);  // a number or text
    std::optional<std::int32_t> integer(std::string_view key,
                                        std::int32_t least = std::numeric_limits<std::int32_t>::min());
    std::optional<bool> flag(std::string_view key);
    std::optional<cursor> object(std::string_view key);
    std::optional<std::vector<cursor>> list(std::string_view key);  // an empty list gives an empty vector
    // `beside`: a field of this mapping that users often put among the texts by mistake.
    std::map<std::string, std::string> texts(std::string_view key, std::map<std::string, place>* places = nullptr,
                                             std::string_view beside = {});

    std::string text_or_empty(std::string_view key);
    // Returns text(), which must be present and not empty.
    std::string required_text(std::string_view key);

    // Marks keys as known that have no effect here.
    void ignore(std::initializer_list<std::string_view> keys);
    // Reports a key of another version or kind as an error that names the right key.
    void misplaced(std::string_view key, std::string_view right);
    void error(std::string_view key, std::string_view code, std::string_view message, std::string_view remedy = {},
               error_class kind = error_class::config);
    void warning(std::string_view key, std::string_view code, std::string_view message, std::string_view remedy = {});

    // Reports each key that was not read: warnings for documents of Kubernetes, errors for our own.
    void finish(severity level = severity::warning);

  private:
    const node* take(std::string_view key);              // null if absent or null
    const node* misspelled(std::string_view key) const;  // the member that is probably a misspelling of it; null: none
    std::optional<std::string> text_of(const cursor& value);
    void wrong_type(std::string_view key, const node& value, std::string_view expected, std::string_view remedy = {});

    cursor at_;
    report& findings_;
    std::vector<std::string> known_;
};

}  // namespace gputide::text
