// A server's JSON, parsed and then wiped: the bodies contain tokens, and a parser's buffers keep copies of them.  Returned views
// are valid as long as the object.  Errors never quote invalid input.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

using json_element = simdjson::dom::element;

inline constexpr std::int64_t last_epoch_s = 253'402'300'799;  // end of the year 9999; later times are rejected

class json_text {
  public:
    explicit json_text(std::string_view text);
    json_text(const json_text&) = delete;
    json_text& operator=(const json_text&) = delete;
    ~json_text();

    // Returns the outermost object, or nullopt if the text is not JSON, nested too deeply, or not an object.
    std::optional<json_element> object() const { return object_; }

  private:
    std::string bytes_;
    simdjson::dom::parser parser_;
    std::optional<json_element> object_;
};

// Each returns a member of an object, or nullopt if the name is missing or the type differs.
std::optional<json_element> member(json_element object, std::string_view name);
std::optional<json_element> object_member(json_element object, std::string_view name);
std::optional<std::string_view> text_member(json_element object, std::string_view name);
std::vector<std::int64_t> integers_member(json_element object, std::string_view name);

// Parses an integer, also as a canonical decimal text ("3599", not "03599", "+5" or "5.0").
std::optional<std::int64_t> whole_number(json_element value);
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace gputide::auth
