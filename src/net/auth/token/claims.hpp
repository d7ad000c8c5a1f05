// A token's claims, for people (`gputided token`).  Not a check: the signature is not verified, so no decision may
// depend on this.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

struct claims {
    std::string audience;                      // aud; several are joined by ", "
    std::string issuer;                        // iss
    std::string tenant;                        // tid
    std::string client;                        // appid (v1) or azp (v2)
    std::string object_id;                     // oid
    std::string subject;                       // sub
    std::optional<std::int64_t> expires_at_s;  // exp, Unix seconds
    std::optional<std::int64_t> starts_at_s;   // nbf
};

// Class protocol for a text that is not a JWT; the text itself is never quoted.
result<claims> read_claims(std::string_view token);

// Returns the text claims by their names in the token: {"aud", "..."}, {"tid", "..."}, ...  azp is the newer name of
// appid and is reported as such.
std::vector<std::pair<std::string, std::string>> text_claims(const claims& claims);

// Returns the same, followed by exp as a text.
std::vector<std::pair<std::string, std::string>> list_claims(const claims& claims);

}  // namespace gputide::auth
