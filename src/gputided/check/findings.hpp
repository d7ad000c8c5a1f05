// The pages of check's findings, and a report as SARIF.  findings.json has the pages; the table of docs/findings.md is made of it
// too.
#pragma once

#include "common/json.hpp"

#include <string>

namespace gputided {

// Prints one page, or all codes with their titles if `code` is empty; as JSON, the rows themselves.  Throws usage_error for an
// unknown code.
void print_pages(const std::string& code, bool as_json);

// Converts a report of gputide_manifest_check ({"errors", "warnings", "findings": [...]}) to SARIF 2.1.0 (OASIS), which code hosts
// show as annotations of a change.
ordered_json sarif_of(const ordered_json& report);

}  // namespace gputided
