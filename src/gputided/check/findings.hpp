// The pages of check's findings, and a report as SARIF.  The pages are in findings.json, which is also the source of the table in
// docs/findings.md.
#pragma once

#include "common/json.hpp"

#include <string>

namespace gputided {

// Prints a page, or all codes with their titles if `code` is empty.  as_json: prints the rows.  Throws usage_error for an unknown
// code.
void print_pages(const std::string& code, bool as_json);

// Converts a report of gputide_manifest_check ({"errors", "warnings", "findings": [...]}) to SARIF 2.1.0 (OASIS), which code
// hosts show as annotations of a change.
ordered_json sarif_of(const ordered_json& report);

}  // namespace gputided
