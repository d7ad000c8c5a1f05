// Reports as one HTML file each: what it shows stands inside it, and nothing is loaded from elsewhere.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>

namespace gputided {

// Text for between tags and inside attributes.
std::string escaped(const std::string& text);

// JSON for inside <script>.
std::string for_script(const nlohmann::json& value);

// Returns 128 random bits in hexadecimal, for a Content-Security-Policy: text from elsewhere cannot know them.
std::string new_nonce();

// Returns a policy under which the scripts and styles with this nonce run, and nothing is loaded or sent.
std::string policy_of_page(const std::string& nonce);

// The page with each @NAME@ that has a value replaced by it; what a value holds is never taken for such a mark.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values);

// Fills a report, and @NONCE@ and @FENCE@ (its policy as <meta>) in it.
std::string fenced_report(std::string_view page, std::map<std::string, std::string> values);

}  // namespace gputided
