// A server's JSON, parsed and then wiped: the bodies contain tokens, and a parser's buffers keep copies of them.  Returned views
// are valid as long as the object.  Errors never quote invalid input.
#pragma once

#include "formats/json/members.hpp"

#include <simdjson.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::auth {

using formats::array_of;
using formats::object_of;
using formats::text_in;
using formats::text_of;
using json_element = simdjson::dom::element;
using json_object = simdjson::dom::object;

inline constexpr std::int64_t last_epoch_s = 253'402'300'799;  // end of the year 9999; later times are rejected

class json_text {
  public:
    explicit json_text(std::string_view text);
    json_text(const json_text&) = delete;
    json_text& operator=(const json_text&) = delete;
    ~json_text();

    // Returns the outermost object, or nullopt if the text is not JSON, nested too deeply, or not an object.
    std::optional<json_object> object() const { return object_; }

  private:
    std::string bytes_;
    simdjson::dom::parser parser_;
    std::optional<json_object> object_;
};

// Returns nullopt if the member is missing.
std::optional<json_element> member(json_object object, std::string_view name);

// Returns the first of these members that is a text and not empty, or "".
std::string_view first_text(json_object object, std::initializer_list<std::string_view> names);

// Parses an integer, also as a canonical decimal text ("3599", not "03599", "+5" or "5.0").
std::optional<std::int64_t> whole_number(json_element value);
// Returns nullopt also if the member is missing.
std::optional<std::int64_t> whole_number_of(json_object object, std::string_view name);

}  // namespace gputide::auth
