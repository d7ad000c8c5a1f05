// Trigger types and identities that a manifest may use.  The modules that implement them pass a row for each.
#pragma once

#include "manifest/spec.hpp"
#include "text/field.hpp"
#include "text/mapping.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

// A validation error: a path below the manifest's root, the text of KEDA or the API server, and a remedy.
struct violation {
    std::string path;
    std::string message;
    std::string remedy;
    std::string_view code = "invalid-value";  // a literal
};
using violations = std::vector<violation>;

// A path in two parts, so that the caller does not join them: {path, ".type"}.
struct violation_path {
    template <std::convertible_to<std::string_view> Text>
    violation_path(const Text& path, std::string_view below = {})  // NOLINT: implicit by design
        : above(path), rest(below) {}
    std::string_view above, rest;
};

void add_violation(violations& out, const violation_path& path, std::string_view message, std::string_view remedy,
                   std::string_view code = "invalid-value");

// Reports the violations at their places below `root`.
void add_violations(report& findings, const cursor& root, const violations& found, severity level = severity::error);

struct trigger_kind {
    std::string_view type;                      // of triggers[]
    std::span<const field> keys;                // of its metadata and authentication
    bool is_resource = false;                   // resource use of the pods, which the HPA reads itself
    bool can_cache = true;                      // supports useCachedMetrics
    std::string_view target_key = "threshold";  // key of the target
    bool is_schedule = false;                   // its value depends only on the time
};

// Services that accept the tokens of an identity.
enum class identity_family : std::int32_t {
    none = 0,    // no service
    azure = 1,   // Entra tokens
    aws = 2,     // keys that sign requests
    google = 3,  // OAuth tokens of Google
    bearer = 4,  // any bearer token, from a file or a program
};

// A setting that another program injects into a pod's environment for an identity, and the block's member that overrides it.
struct injected_setting {
    std::string_view shown_as;  // "client"; "": not shown separately
    std::string_view variable;
    std::string_view key;                                              // of the block; "": the block has no key for it
    std::optional<std::string> authentication::*written_as = nullptr;  // value of that key; null: no key
    bool is_needed = true;
};

struct identity_kind {
    std::string_view provider;  // value of podIdentity.provider
    identity_family family = identity_family::none;
    bool is_of_keda = false;  // a provider of KEDA; else one of this library
    bool is_advised = true;   // false: known, but deprecated
    // Returns what KEDA's webhook rejects in the block, with paths below it; null: no specific rules.
    violations (*check)(const authentication& identity) = nullptr;
    std::span<const injected_setting> injected = {};
    std::string_view principal_proof = {};  // the member of azureServicePrincipal that it accepts; "": none
};

struct known_kinds {
    std::span<const trigger_kind> triggers;
    std::span<const identity_kind> identities;

    const trigger_kind* trigger(std::string_view type) const;  // null: unknown type
    // Tells whether the table of a type has this gputide.io/ key; its source then reads it.
    bool has_key(std::string_view key) const;
};

const identity_kind* find_identity(std::span<const identity_kind> identities, std::string_view provider);

// Returns "azure-workload, aws, gcp, none, or one of gputide's own: ...".
std::string providers_in_words(std::span<const identity_kind> identities);

}  // namespace gputide::manifest
