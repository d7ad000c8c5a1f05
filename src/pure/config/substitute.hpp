// ${NAME} in a manifest, replaced from the environment that the host allows.
#pragma once

#include "config/environment.hpp"
#include "config/mapping.hpp"

#include <functional>
#include <string_view>

namespace gputide::config {

// Replaces ${NAME} (a letter or _, then letters, digits, _) in every value below `root`; "$${" stands for "${".  Keys, and
// values that `skip` names by key, stay as they are.  Unset, or not allowed by the host: an error with its place.
//
// It works on values after parsing, not on the raw text as a shell's heredoc does: a value can therefore never add keys,
// items or documents, whatever it holds.  A plain value is typed by what it became: maxReplicas: ${MAX} may be a number.
// `spent` counts the bytes put in over several calls of one load; together they stay below four times
// limits::manifest_bytes.
void substitute(node& root, const cursor& top, const environment_lookup& environment,
                const std::function<bool(std::string_view key)>& skip, report& findings, std::size_t* spent = nullptr);

}  // namespace gputide::config
