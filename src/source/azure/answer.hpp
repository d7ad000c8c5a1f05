// What Azure's metric APIs have in common in their answers: refusals in either error shape, and a JSON document.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/json.hpp"
#include "source/source.hpp"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::azure {

// The service's own words for everything but an answer with status 2xx.  `url` names the endpoint in the text and,
// where no `role` is given, chooses the one to advise.  A delay that the service asks for goes into field retry_after_ms, since nobody has a clock here.
std::optional<error> refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

// Reads the body's outermost object, which lives as long as `how` runs.  Cut, foreign or no object: class protocol; the
// body is never quoted.
result<reading> read_document(const http::answer& answer,
                              const std::function<result<reading>(simdjson::dom::object)>& how);

error unusable(std::string text);  // an answer that is not what the API documents: class protocol
error no_data(std::string text);   // a good answer without a number: class no_data

}  // namespace gputide::source::azure
