// What Azure's metric APIs have in common in their answers: a JSON document.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/source.hpp"

#include <simdjson.h>

#include <functional>
#include <string>

namespace gputide::source::azure {

// Reads the body's outermost object, which lives as long as `how` runs.  Cut, foreign or no object: class protocol; the
// body is never quoted.
result<reading> read_document(const http::answer& answer,
                              const std::function<result<reading>(simdjson::dom::object)>& how);

error unusable(std::string text);  // an answer that is not what the API documents: class protocol
error no_data(std::string text);   // a good answer without a number: class no_data

}  // namespace gputide::source::azure
