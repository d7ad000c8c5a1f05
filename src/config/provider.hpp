// The words that podIdentity.provider may hold: KEDA's, and this library's own for what KEDA leaves to its surroundings.
// One table, so that a name never means two things.  What each needs: docs/credentials.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::config {

// Whose services the identity's tokens are for.
enum class identity_family : std::int32_t {
    none = 0,    // "", "none"
    azure = 1,   // Entra tokens
    aws = 2,     // keys that sign requests
    google = 3,  // OAuth tokens of Google
    bearer = 4,  // any bearer token, from a file or a program
};

// none for an unknown name as well.
identity_family family_of(std::string_view provider);

bool is_provider(std::string_view name);

// "azure-workload, aws, gcp or none, or one of gputide's own: ..."
std::string providers_in_words();

}  // namespace gputide::config
