// Reports and pages, each an HTML file that loads nothing.
#pragma once

#include "common/json.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gputided {

// Escapes a text for HTML content and attributes.
std::string escaped(const std::string& text);

// Returns JSON that may be written inside <script>.
std::string for_script(const json& value);

// Returns 128 random bits in hexadecimal for a Content-Security-Policy.  Injected text cannot know them.
std::string new_nonce();

// Returns a policy that runs only scripts and styles with this nonce, and loads and sends nothing.
std::string content_policy(const std::string& nonce);

// Replaces each @NAME@ that has a value.  Does not replace marks inside values.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values);

// Fills a report with its values and with @STYLE@, @NONCE@ and @FENCE@ (the policy as <meta>).
std::string report_file(std::string_view page, std::map<std::string, std::string> values);

}  // namespace gputided
