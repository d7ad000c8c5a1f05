// Several credentials as one: tried in order until one succeeds; that one is used from then on.
// A member that is unavailable here (class unavailable) is skipped; every other failure ends the chain, since a later
// member would act under another identity.  Errors hold the reason of each member that was tried.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

struct chain_member {
    std::string name;  // for messages: "workload identity"
    result<std::shared_ptr<credential>> opened;
};

// `name` is the chain's own in messages: "azure-default".  Fails if it is certain that no member can succeed.
result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members);

// Returns class unavailable with the names of a member's unset variables; nothing if all are set.
std::optional<error> absent(const surroundings& host, const std::vector<const char*>& variables);

}  // namespace gputide::auth
