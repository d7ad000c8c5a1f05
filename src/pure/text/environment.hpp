// The environment variables that a manifest may read, and the replacement of ${NAME}.
#pragma once

#include "text/mapping.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::text {

// The host's answer for one variable.
struct variable {
    variable(std::optional<std::string> text) : value(std::move(text)) {}  // NOLINT: implicit: a lookup returns a value
    variable(std::nullopt_t) {}                                            // NOLINT: as above

    static variable kept_back(std::string why = {}) {
        variable out(std::nullopt);
        out.is_allowed = false;
        out.why = std::move(why);
        return out;
    }

    std::optional<std::string> value;  // nothing: the variable is not set
    bool is_allowed = true;            // false: the host does not let manifests read it, set or not
    std::string why;                   // reason if it is not allowed; "": the host allows no variable of this name
};

using environment_lookup = std::function<variable(const std::string& name)>;

// Looks up a variable.  A host without a lookup function allows no variable.
inline variable look_up(const environment_lookup& environment, const std::string& name) {
    return environment ? environment(name) : variable::kept_back();
}

inline std::string not_allowed_text(const std::string& name, const variable& answer) {
    if (!answer.why.empty()) return answer.why;
    return format_text("the environment variable {} is not read: this program does not allow it", name);
}
inline constexpr char how_to_allow[] =
    "let the host program allow it by name (gputide_options.allowed_environment; gputided: --allow-env)";

// Replaces ${NAME} (a letter or _, then letters, digits, _) in every value below `root`; "$${" stands for "${".  Keys, and
// values with a key that `skip` accepts, are not changed.  A variable that is not set, or not allowed by the host, is an
// error with its place.
//
// Replaces in values after parsing, not in the raw text: a variable's value can therefore never add keys, items or
// documents.  The type of a plain value is determined after the replacement: maxReplicas: ${MAX} can become a number. `spent`
// counts the bytes of all values with a ${...} after replacement, over the calls of one load. More than four times
// limits::manifest_bytes is an error.
void substitute(node& root, const cursor& top, const environment_lookup& environment,
                const std::function<bool(std::string_view key)>& skip, report& findings, std::size_t* spent = nullptr);

}  // namespace gputide::text
