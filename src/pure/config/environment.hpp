// What a manifest may learn of the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace gputide::config {

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

}  // namespace gputide::config
