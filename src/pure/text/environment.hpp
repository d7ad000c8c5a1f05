// The environment of a manifest: what it may learn, and the replacement of ${NAME}.
#pragma once

#include "text/mapping.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::text {

// The host's answer to a manifest that names a variable.
struct variable {
    variable(std::optional<std::string> text)
        : value(std::move(text)) {}  // NOLINT: an answer is mostly no more than this
    variable(std::nullopt_t) {}      // NOLINT: as above

    static variable kept_back(std::string why = {}) {
        variable out(std::nullopt);
        out.is_allowed = false;
        out.why = std::move(why);
        return out;
    }

    std::optional<std::string> value;  // nothing: it is not set
    bool is_allowed = true;            // false: the host lets no manifest read it, set or not
    std::string why;                   // why it is not allowed; "": no manifest may read it
};

using environment_lookup = std::function<variable(const std::string& name)>;

// A host that gives no lookup allows no variable.
inline variable look_up(const environment_lookup& environment, const std::string& name) {
    return environment ? environment(name) : variable::kept_back();
}

inline std::string not_allowed_text(const std::string& name, const variable& answer) {
    if (!answer.why.empty()) return answer.why;
    return "the environment variable " + name + " is not read: this program does not allow it";
}
inline constexpr char how_to_allow[] =
    "let the host program allow it by name (gputide_options.allowed_environment; gputided: --allow-env)";

// ${NAME} in a manifest, replaced from the environment that the host allows.

// Replaces ${NAME} (a letter or _, then letters, digits, _) in every value below `root`; "$${" stands for "${".  Keys, and
// values that `skip` names by key, stay as they are.  Unset, or not allowed by the host: an error with its place.
//
// It works on values after parsing, not on the raw text as a shell's heredoc does: a value can therefore never add keys,
// items or documents, whatever it holds.  A plain value is typed by what it became: maxReplicas: ${MAX} may be a number.
// `spent` counts the bytes put in over several calls of one load; together they stay below four times
// limits::manifest_bytes.
void substitute(node& root, const cursor& top, const environment_lookup& environment,
                const std::function<bool(std::string_view key)>& skip, report& findings, std::size_t* spent = nullptr);

}  // namespace gputide::text
