// What Azure's metric APIs have in common in their answers: refusals in either error shape, and a JSON document.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/source.hpp"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::azure {

// The service's own words for everything but an answer with status 2xx.  `url` names the endpoint in the text and chooses
// the role to advise.  A delay that the service asks for goes into field retry_after_ms, since nobody has a clock here.
std::optional<error> refusal(const http::answer& got, const std::string& url);

// Reads the body's outermost object, which lives as long as `how` runs.  Cut, foreign or no object: class protocol; the
// body is never quoted.
result<reading> read_document(const http::answer& got,
                              const std::function<result<reading>(simdjson::dom::object)>& how);

error unusable(std::string text);  // an answer that is not what the API documents: class protocol
error no_data(std::string text);   // a good answer without a number: class no_data

// Members of an object; nothing where there is none of that name, or it is null or of another type.
std::optional<std::string_view> text_of(simdjson::dom::object from, std::string_view name);
std::optional<simdjson::dom::object> object_of(simdjson::dom::object from, std::string_view name);
std::optional<simdjson::dom::array> array_of(simdjson::dom::object from, std::string_view name);

// A JSON number of any kind as the nearest double.
std::optional<double> number_of(simdjson::dom::element from);

}  // namespace gputide::source::azure
