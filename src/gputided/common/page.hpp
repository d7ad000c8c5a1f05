// Reports and pages as one HTML file each, which loads nothing.
#pragma once

#include "common/json.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gputided {

// Escapes text for between tags and inside attributes.
std::string escaped(const std::string& text);

// Returns JSON for inside <script>.
std::string for_script(const json& value);

// Returns 128 random bits in hexadecimal for a Content-Security-Policy: injected text cannot know them.
std::string new_nonce();

// Returns a policy under which the scripts and styles with this nonce run, and nothing is loaded or sent.
std::string content_policy(const std::string& nonce);

// Replaces each @NAME@ that has a value; values are not searched for such marks.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values);

// Fills a report: its values, @STYLE@, @NONCE@ and @FENCE@ (its policy as <meta>).
std::string report_file(std::string_view page, std::map<std::string, std::string> values);

}  // namespace gputided
