// Look-ups in the rows of kinds.hpp.
#include "manifest/kinds.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace gputide::manifest {
namespace {

std::string listed(std::span<const identity_kind> identities, bool of_keda) {
    std::string out;
    for (const identity_kind& identity : identities) {
        if (identity.is_advised && identity.is_of_keda == of_keda) append_item(out, identity.provider);
    }
    return out;
}

}  // namespace

void add_violation(violations& out, const violation_path& path, std::string_view message, std::string_view remedy,
                   std::string_view code) {
    out.push_back({std::string(path.above).append(path.rest), std::string(message), std::string(remedy), code});
}

void add_violations(report& findings, const cursor& root, const violations& found, severity level) {
    for (const violation& refused : found)
        findings.add(level, refused.code, root.place_of(refused.path), refused.message, refused.remedy);
}

const trigger_kind* known_kinds::trigger(std::string_view type) const {
    const auto found = std::ranges::find_if(triggers, [type](const trigger_kind& row) { return row.type == type; });
    return found == triggers.end() ? nullptr : &*found;
}

bool known_kinds::has_key(std::string_view key) const {
    return std::ranges::any_of(triggers, [key](const trigger_kind& kind) {
        return std::ranges::any_of(kind.keys, [key](const field& row) { return row.names.has(key); });
    });
}

const identity_kind* find_identity(std::span<const identity_kind> identities, std::string_view provider) {
    const auto found = std::ranges::find_if(
        identities, [provider](const identity_kind& identity) { return identity.provider == provider; });
    return found == identities.end() ? nullptr : &*found;
}

std::string providers_in_words(std::span<const identity_kind> identities) {
    return format_text("{}, or one of gputide's own: {}", listed(identities, true), listed(identities, false));
}

}  // namespace gputide::manifest
