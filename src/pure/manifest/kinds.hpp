// Trigger types and identities, as the reading of a manifest needs them: the modules that implement them pass a row for each.
#pragma once

#include "manifest/spec.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

// One thing that is refused: a path below the manifest's root, KEDA's or the API server's words, and a remedy.
struct violation {
    std::string path;
    std::string message;
    std::string remedy;
    std::string code = "invalid-value";
};

struct trigger_kind {
    std::string_view type;                      // of triggers[]
    std::span<const field> keys;                // of its metadata and authentication
    bool is_resource = false;                   // the pods' own use, which the HPA reads itself and no scaler does
    bool can_cache = true;                      // takes useCachedMetrics
    std::string_view target_key = "threshold";  // names the target
    bool is_schedule = false;                   // its number follows the clock alone
};

// Services that accept an identity's tokens.
enum class identity_family : std::int32_t {
    none = 0,    // no service
    azure = 1,   // Entra tokens
    aws = 2,     // keys that sign requests
    google = 3,  // OAuth tokens of Google
    bearer = 4,  // any bearer token, from a file or a program
};

// A setting that another program puts into a pod's environment for an identity, and the member of the block that goes before it.
struct injected_setting {
    std::string_view shown_as;  // "client"; "": not shown by itself
    std::string_view variable;
    std::string_view key;                                              // of the block; "": it has none for it
    std::optional<std::string> authentication::*written_as = nullptr;  // that key's value; null: it has none
    bool is_needed = true;
};

struct identity_kind {
    std::string_view provider;  // the word in podIdentity.provider
    identity_family family = identity_family::none;
    bool is_of_keda = false;  // KEDA knows the word; else it is this library's own
    bool is_advised = true;   // false: known and out of date
    // Returns what KEDA's webhook refuses in such a block; null: nothing of its own.  Paths below the block.
    std::vector<violation> (*check)(const authentication& identity) = nullptr;
    std::span<const injected_setting> injected = {};
    std::string_view principal_proof =
        {};  // the member of azureServicePrincipal that it takes; "": it takes no such block
};

struct known_kinds {
    std::span<const trigger_kind> triggers;
    std::span<const identity_kind> identities;

    const trigger_kind* trigger(std::string_view type) const;  // null: not known
    // A gputide.io/ key that a type's own table has: its source reads it.
    bool has_key(std::string_view key) const;
};

const identity_kind* find_identity(std::span<const identity_kind> identities, std::string_view provider);

// "azure-workload, aws, gcp, none, or one of gputide's own: ..."
std::string providers_in_words(std::span<const identity_kind> identities);

}  // namespace gputide::manifest
