// The pages of check's findings: what happens, why, what to do, who was bitten.  One data file, findings.json beside this one; SARIF's
// rules and the table of docs/gputided.md are made of it too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputided {

struct finding_page {
    std::string code;      // stable
    std::string severity;  // "error", "warning", "note": the usual one
    std::string title;
    std::string what;  // is written
    std::string why;   // that is a fault, and what happens
    std::string fix;
    std::vector<std::string> sources;  // "owner/name#1", or a repository and a path
};

const std::vector<finding_page>& finding_pages();

// Null: there is no such code.
const finding_page* find_page(std::string_view code);

// "kedacore/keda#4148" → "https://github.com/kedacore/keda/issues/4148"; what is not an issue stays as it is.
std::string link_of(const std::string& source);

// Prints one page, or all codes with their titles where `code` is empty; as JSON, the rows themselves.
void print_pages(const std::string& code, bool as_json);

}  // namespace gputided
