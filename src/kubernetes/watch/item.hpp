// One object of a list or of a watch, read by itself: one that cannot be read concerns no other.  Pure.
#pragma once

#include "base/result.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

// What is known of an object that cannot be read.
struct unreadable_object {
    object_key key;                // name "": the name cannot be read either
    std::string resource_version;  // "": cannot be read either
    std::string why;               // "it is nested more than 1024 levels deep"; quotes nothing of the object
};

// Parses the object that lies in `text`.  Integers that 64 bits do not hold become doubles, as in the API server.  Errors: class
// not_json, with the words of unreadable_object::why.
result<simdjson::dom::object> parse_object(formats::scratch& scratch, std::string_view object, const std::string& text);

// Why an object is left out that does not fit into an answer or a line of a watch.
std::string too_large_text();

// Reads the metadata of an object that cannot be parsed, as far as the text goes.
unreadable_object read_unreadable(std::string_view object, std::string why);

// Calls `use` with the object that lies in `text`, or returns what is known of one that cannot be read.
std::optional<unreadable_object> read_item(std::string_view object, const std::string& text,
                                           const std::function<void(simdjson::dom::object)>& use);

}  // namespace gputide::kubernetes
