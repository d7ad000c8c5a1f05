// Several credentials as one.  Members are tried in order; the first that succeeds is used from then on.  An unavailable member
// (class unavailable) is skipped.  Any other failure ends the chain, because a later member would use another identity.  Errors
// contain the reason of each member that was tried.
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

// Makes a chain.  `name` is used in messages: "azure-default".  Fails if no member can succeed.
result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members);

// Returns class unavailable with the names of the unset variables, or nullopt if all are set.
std::optional<error> absent(const surroundings& host, const std::vector<const char*>& variables);

}  // namespace gputide::auth
